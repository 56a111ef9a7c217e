import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import type { LedgerPayload, LedgerRecord } from '../../contracts/ledger.js';
import { leafData } from '../../values/ledger/leaf.data.js';
import { monthOf } from '../../values/ledger/log.month.js';
import { payloadCommitment } from '../../values/ledger/payload.js';
import { leafHash } from '../../values/transparency/merkle.tree.js';

/** A line of an NDJSON export. */
interface ArchivedLine {
  readonly record: Omit<LedgerRecord, 'at' | 'startedAt'> & { readonly at: string; readonly startedAt?: string };
  readonly payload: LedgerPayload | null;
  readonly seal: {
    readonly writerId: string;
    readonly seq: number;
    readonly idx: number;
    readonly payloadCommitment: string | null;
    readonly salt: string | null;
  };
}

/** A month that was archived before it was dropped, as its records say themselves. */
export interface ArchivedMonth {
  /** `202611`. */
  readonly month: string;
  readonly records: number;
  /** By writer and number: rows as a reader gives them (`StoredBatch.rows`). */
  readonly batches: ReadonlyMap<string, Buffer>;
  /** Records whose payload is not what was bound to them. */
  readonly badPayloads: readonly string[];
  readonly payloads: number;
}

/** The key of a batch. */
export const batchKey = (writerId: string, seq: number): string => `${writerId}/${seq}`;

/**
 * Reads an archive (`gatehouse retain --archive`), line by line. Nothing of it is believed: it says which leaves its records make.
 *
 * @throws MalformedEvidenceError for a line that is none of an export, and for records of two months
 */
export async function readArchive(lines: AsyncIterable<string>): Promise<ArchivedMonth> {
  const rows = new Map<string, Buffer[]>();
  const badPayloads: string[] = [];
  let [month, records, payloads] = ['', 0, 0];
  for await (const text of lines) {
    if (text === '') continue;
    const line = parsed(text, records + 1);
    const of = monthOf(line.record.id);
    if (month !== '' && of !== month) throw malformed(records + 1, `it is of ${of}, the others of ${month}`);
    month = of;
    records += 1;
    const { writerId, seq } = line.seal;
    const key = batchKey(writerId, seq);
    const others = rows.get(key);
    if (others === undefined) rows.set(key, [rowOf(line)]);
    else others.push(rowOf(line));
    if (line.payload === null) continue;
    payloads += 1;
    if (!isBound(line)) badPayloads.push(line.record.id);
  }
  const batches = new Map([...rows].map(([key, some]) => [key, Buffer.concat(some.sort(byIdx))]));
  return { month, records, batches, badPayloads, payloads };
}

function parsed(text: string, number: number): ArchivedLine {
  try {
    const line = JSON.parse(text) as ArchivedLine;
    if (typeof line.record.id === 'string' && typeof line.seal.writerId === 'string') return line;
  } catch {
    // Told below, like every other line that is none.
  }
  throw malformed(number, 'it is no record of an NDJSON export');
}

const malformed = (number: number, problem: string): MalformedEvidenceError =>
  new MalformedEvidenceError('archive', `line ${number}: ${problem}`);

// idx (4, big endian), id (16), leaf (32).
function rowOf({ record: { at, startedAt, ...record }, seal }: ArchivedLine): Buffer {
  const whole: LedgerRecord = {
    ...record,
    at: new Date(at),
    ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt) }),
  };
  const commitment = seal.payloadCommitment === null ? null : Buffer.from(seal.payloadCommitment, 'hex');
  const head = Buffer.alloc(4);
  head.writeInt32BE(seal.idx);
  return Buffer.concat([
    head,
    Buffer.from(record.id.replaceAll('-', ''), 'hex'),
    leafHash(leafData(whole, commitment)),
  ]);
}

function isBound({ payload, seal }: ArchivedLine): boolean {
  if (seal.salt === null) return false;
  const body = Buffer.from(JSON.stringify(payload), 'utf8');
  return payloadCommitment(Buffer.from(seal.salt, 'hex'), body).toString('hex') === seal.payloadCommitment;
}

const byIdx = (one: Buffer, other: Buffer): number => one.readInt32BE(0) - other.readInt32BE(0);

import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import type { LedgerPayload, LedgerRecord } from '../../contracts/ledger.js';
import { isUuid } from '../../values/ids.js';
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

/** A batch as an archive has it. */
export interface ArchivedBatch {
  /** As a reader gives them (`StoredBatch.rows`). */
  readonly rows: Buffer;
  /** Records with a payload. */
  readonly payloads: number;
}

/** A record that had a payload which is not in the archive: an erasure has to cover it. */
export interface MissingPayload {
  readonly id: string;
  readonly at: Date;
  readonly principalId: string | undefined;
  readonly runId: string | undefined;
}

/** A month that was archived before it was dropped, as its records say themselves. */
export interface ArchivedMonth {
  /** `202611`. */
  readonly month: string;
  /** By writer and number. */
  readonly batches: ReadonlyMap<string, ArchivedBatch>;
  /** Records whose payload is not what was bound to them. */
  readonly badPayloads: readonly string[];
  readonly missingPayloads: readonly MissingPayload[];
  /** Records of erasures in it. */
  readonly erasures: readonly Erased[];
}

/** What an erasure covers: what happened until then to whom it names. */
export type Erased = Pick<LedgerRecord, 'at' | 'principalId' | 'runId'>;

/** The key of a batch. */
export const batchKey = (writerId: string, seq: number): string => `${writerId}/${seq}`;

/** Reads archives, by month: one may lie in several files, where it went several times. @throws MalformedEvidenceError as `readArchive` does */
export async function readArchives(
  archives: readonly AsyncIterable<string>[],
): Promise<ReadonlyMap<string, ArchivedMonth>> {
  const read = new Map<string, ArchivedMonth>();
  for (const lines of archives) {
    const archive = await readArchive(lines);
    const other = read.get(archive.month);
    read.set(archive.month, other === undefined ? archive : joined(other, archive));
  }
  return read;
}

function joined(one: ArchivedMonth, other: ArchivedMonth): ArchivedMonth {
  const batches = new Map(one.batches);
  for (const [key, batch] of other.batches) {
    const same = batches.get(key);
    if (same === undefined) batches.set(key, batch);
    // Two that differ cannot both be what was sealed.
    else if (!same.rows.equals(batch.rows))
      batches.set(key, { rows: Buffer.concat([same.rows, batch.rows]), payloads: same.payloads + batch.payloads });
  }
  return {
    month: one.month,
    batches,
    badPayloads: [...new Set([...one.badPayloads, ...other.badPayloads])],
    missingPayloads: [...one.missingPayloads, ...other.missingPayloads],
    erasures: [...one.erasures, ...other.erasures],
  };
}

/**
 * Reads an archive (`gatehouse retain --archive`), line by line. Nothing of it is believed: it says which leaves its records make.
 *
 * @throws MalformedEvidenceError for a line that is none of an export, for records of two months, and where there is none at all
 */
export async function readArchive(lines: AsyncIterable<string>): Promise<ArchivedMonth> {
  const rows = new Map<string, { readonly some: Buffer[]; payloads: number }>();
  const badPayloads: string[] = [];
  const missingPayloads: MissingPayload[] = [];
  const erasures: Erased[] = [];
  let [month, number] = ['', 0];
  for await (const text of lines) {
    number += 1;
    if (text === '') continue;
    const { line, record, of, row } = lineOf(text, number);
    if (month !== '' && of !== month) throw malformed(number, `it is of ${of}, the others of ${month}`);
    month = of;
    const key = batchKey(line.seal.writerId, line.seal.seq);
    const batch = rows.get(key) ?? { some: [], payloads: 0 };
    rows.set(key, batch);
    batch.some.push(row);
    if (record.kind === 'erased') erasures.push(record);
    const { id, at, principalId, runId } = record;
    if (line.payload !== null) {
      batch.payloads += 1;
      if (!isBound(line)) badPayloads.push(id);
    } else if (line.seal.payloadCommitment !== null) {
      missingPayloads.push({ id, at, principalId: principalId ?? undefined, runId: runId ?? undefined });
    }
  }
  if (month === '') throw new MalformedEvidenceError('archive', 'no record is in it');
  const batches = new Map(
    [...rows].map(([key, { some, payloads }]) => [key, { rows: Buffer.concat(some.sort(byIdx)), payloads }]),
  );
  return { month, batches, badPayloads, missingPayloads, erasures };
}

interface ReadLine {
  readonly line: ArchivedLine;
  readonly record: LedgerRecord;
  readonly of: string;
  readonly row: Buffer;
}

function lineOf(text: string, number: number): ReadLine {
  try {
    const line = JSON.parse(text) as ArchivedLine;
    const { at, startedAt, ...rest } = line.record;
    const { id } = rest;
    const { writerId, seq, idx, payloadCommitment, salt } = line.seal;
    if (isUuid(id) && isUuid(writerId) && Number.isSafeInteger(seq) && Number.isSafeInteger(idx)) {
      if (isTextOrNull(payloadCommitment) && isTextOrNull(salt) && typeof line.payload === 'object') {
        const record: LedgerRecord = {
          ...rest,
          at: new Date(at),
          ...(startedAt === undefined ? {} : { startedAt: new Date(startedAt) }),
        };
        return { line, record, of: monthOf(id), row: rowOf(record, line.seal) };
      }
    }
  } catch {
    // Told below, like every other line that is none.
  }
  throw malformed(number, 'it is no record of an NDJSON export');
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

const malformed = (number: number, problem: string): MalformedEvidenceError =>
  new MalformedEvidenceError('archive', `line ${number}: ${problem}`);

// idx (4, big endian), id (16), leaf (32).
function rowOf(record: LedgerRecord, { idx, payloadCommitment }: ArchivedLine['seal']): Buffer {
  const commitment = payloadCommitment === null ? null : Buffer.from(payloadCommitment, 'hex');
  const head = Buffer.alloc(4);
  head.writeInt32BE(idx);
  const id = Buffer.from(record.id.replaceAll('-', ''), 'hex');
  return Buffer.concat([head, id, leafHash(leafData(record, commitment))]);
}

function isBound({ payload, seal }: ArchivedLine): boolean {
  if (seal.salt === null) return false;
  const body = Buffer.from(JSON.stringify(payload), 'utf8');
  return payloadCommitment(Buffer.from(seal.salt, 'hex'), body).toString('hex') === seal.payloadCommitment;
}

const byIdx = (one: Buffer, other: Buffer): number => one.readInt32BE(0) - other.readInt32BE(0);

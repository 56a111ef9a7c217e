import type { LedgerRecord } from '../../contracts/ledger.js';
import type { KnownWriter, LedgerSnapshot } from '../../contracts/ports/ledger.reader.js';
import { monthAt, monthStart } from '../../values/ledger/log.month.js';
import type { Findings } from './findings.js';

/** How long a tail may be unsealed, and a writer silent, before that is told. */
export const PATIENCE_MS = 60_000;

/** Which instants are asked for. */
export interface AskedRange {
  readonly from: Date | undefined;
  readonly until: Date | undefined;
}

/** Tells of what the log itself says is missing; returns the months that were dropped on record. */
export async function checkNotices(
  snapshot: LedgerSnapshot,
  findings: Findings,
  { from, until }: AskedRange,
): Promise<ReadonlySet<string>> {
  const dropped = new Set<string>();
  for (const record of await snapshot.notices()) {
    if (record.kind === 'retention') {
      const month = monthStart(record.reference ?? '');
      if (record.status === 'dropped' && month !== undefined) dropped.add(monthAt(month));
    } else if ((from === undefined || record.at >= from) && (until === undefined || record.at < until)) {
      tell(findings, record);
    }
  }
  return dropped;
}

function tell(findings: Findings, { kind, id, at, status, reference, amount }: LedgerRecord): void {
  const when = at.toISOString();
  if (kind === 'gap') {
    const message = `${amount ?? 'Some'} records are missing (${status ?? 'unknown why'}), as the log itself says at ${when}.`;
    return findings.shortfall('gap', { id }, message, amount ?? undefined);
  }
  findings.shortfall(
    'lost writer',
    { id, ...(reference ? { writerId: reference } : {}), ...(typeof amount === 'number' ? { seq: amount } : {}) },
    `A writer was lost at ${when}: what it had queued after its batch ${amount ?? 0} is not in the log.`,
  );
}

/** Tells of batches that nobody sealed, and of writers that stopped without a word. */
export async function checkWriters(snapshot: LedgerSnapshot, findings: Findings): Promise<number> {
  const writers = new Map((await snapshot.writers()).map((writer) => [writer.id, writer]));
  for (const writer of writers.values()) checkWriter(writer, findings);
  let unsealed = 0;
  const expected = new Map<string, number>();
  await snapshot.unsealed(({ header: { writerId, seq, count, firstId }, ageMs }) => {
    unsealed += 1;
    const place = { writerId, seq, id: firstId };
    const before = expected.get(writerId);
    expected.set(writerId, seq);
    if (before !== undefined && before + 1 !== seq)
      findings.shortfall(
        'missing batch',
        { writerId, seq: before + 1 },
        `Batch ${before + 1} of this writer is missing, ${seq} is there.`,
      );
    if (!writers.has(writerId))
      findings.shortfall(
        'unsealed batch',
        place,
        `Nobody knows the writer of this batch of ${count}: it is never sealed.`,
        count,
      );
    else if (ageMs > PATIENCE_MS)
      findings.shortfall(
        'unsealed batch',
        place,
        `This batch of ${count} is ${Math.round(ageMs / 1000)} s old and not sealed. Does a sealer run?`,
        count,
      );
  });
  if (unsealed > 0) findings.unchecked(`${unsealed} batches against a signature: they are not sealed yet`);
  return unsealed;
}

function checkWriter({ id, state, lastSeq, storedSeq, silentMs }: KnownWriter, findings: Findings): void {
  if (lastSeq !== undefined && lastSeq > storedSeq)
    findings.shortfall(
      'missing batch',
      { writerId: id, seq: storedSeq + 1 },
      `This writer has written ${lastSeq} batches, the last that is there is ${storedSeq}.`,
      lastSeq - storedSeq,
    );
  if (state === 'open' && silentMs > PATIENCE_MS)
    findings.shortfall(
      'silent writer',
      { writerId: id, seq: storedSeq },
      `This writer did not end, and says nothing for ${Math.round(silentMs / 1000)} s.`,
    );
}

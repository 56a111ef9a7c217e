import type { LedgerRecord } from '../../contracts/ledger.js';
import type { LedgerSnapshot } from '../../contracts/ports/ledger.reader.js';
import { monthAt, monthStart } from '../../values/ledger/log.month.js';
import type { Findings } from './findings.js';

/** How long a tail may be unsealed, and a writer silent, before that is told. */
export const PATIENCE_MS = 60_000;

/** Which instants are asked for. */
export interface AskedRange {
  readonly from: Date | undefined;
  readonly until: Date | undefined;
}

/**
 * Tells of what the log itself says is missing; returns the months that were dropped on record.
 *
 * @param since batches of the log that an earlier verification told of
 */
export async function checkNotices(
  snapshot: LedgerSnapshot,
  findings: Findings,
  { from, until }: AskedRange,
  since: number,
): Promise<ReadonlySet<string>> {
  const goings = new Map<string, number>();
  for (const record of await snapshot.notices(since)) {
    if (record.kind === 'retention') {
      countGoing(goings, record);
    } else if ((from === undefined || record.at >= from) && (until === undefined || record.at < until)) {
      tell(findings, record);
    }
  }
  return new Set([...goings.keys()].filter((month) => goings.get(month) !== 0));
}

// A month whose going was recorded can have been kept after all: that takes back one going, not those before.
function countGoing(goings: Map<string, number>, { status, reference }: LedgerRecord): void {
  const start = monthStart(reference ?? '');
  if (start === undefined) return;
  const month = monthAt(start);
  const before = goings.get(month) ?? 0;
  if (status === 'dropped') goings.set(month, before + 1);
  if (status === 'kept') goings.set(month, Math.max(before - 1, 0));
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

import type { LedgerSnapshot } from '../../contracts/ports/ledger.reader.js';
import type { Findings } from './findings.js';
import { PATIENCE_MS } from './notices.check.js';

/** Tells of facts that wait outside the log: nothing seals them there. */
export async function checkUnmoved(snapshot: LedgerSnapshot, findings: Findings): Promise<void> {
  const { count, erasures, oldestMs, youngestMs } = await snapshot.unmoved();
  if (erasures > 0)
    findings.unchecked(
      `${erasures} erasures against a signature: they wait outside the log, and what they cover counts as erased`,
    );
  if (oldestMs > PATIENCE_MS)
    findings.shortfall(
      'waiting facts',
      {},
      `${count} facts wait outside the log, the oldest for ${Math.round(oldestMs / 1000)} s. Does an application run?`,
      count,
    );
  if (youngestMs < -PATIENCE_MS)
    findings.shortfall('waiting facts', {}, 'A fact waits outside the log that says it is of the future.');
}

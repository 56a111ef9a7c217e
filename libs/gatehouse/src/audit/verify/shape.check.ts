import type { LedgerSnapshot } from '../../contracts/ports/ledger.reader.js';
import type { Findings } from './findings.js';

/**
 * Tells where tables are not what they were made as.
 *
 * @returns whether what is read from them means anything
 */
export async function checkShape(snapshot: LedgerSnapshot, findings: Findings): Promise<boolean> {
  const faults = await snapshot.shape();
  for (const { month, message } of faults)
    findings.fault('schema changed', month === undefined ? {} : { month }, message);
  return faults.every(({ isBlind }) => !isBlind);
}

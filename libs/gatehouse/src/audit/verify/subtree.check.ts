import type { LedgerSnapshot } from '../../contracts/ports/ledger.reader.js';
import type { Findings } from './findings.js';
import type { LeafFold } from './leaf.fold.js';

/** Holds the stored hashes of subtrees, of which proofs are made, against the leaves. */
export async function checkSubtrees(snapshot: LedgerSnapshot, findings: Findings, fold: LeafFold): Promise<void> {
  if (fold.broken !== undefined)
    return findings.unchecked('the stored hashes of subtrees: the leaves under them do not hold');
  const due = new Map(fold.completed);
  await snapshot.nodes(fold.start, ({ level, index, hash }) => {
    const expected = due.get(`${level}/${index}`);
    due.delete(`${level}/${index}`);
    if (expected === undefined || Buffer.compare(expected, hash) !== 0)
      tell(findings, level, index, 'is not that of its leaves');
  });
  for (const key of due.keys()) {
    const [level, index] = key.split('/').map(Number);
    tell(findings, level ?? 0, index ?? 0, 'is gone');
  }
}

function tell(findings: Findings, level: number, index: number, what: string): void {
  findings.fault(
    'subtree changed',
    { logIndex: index * 2 ** level },
    `The stored hash over the 2^${level} leaves from ${index * 2 ** level} on ${what}.`,
  );
}

import type { DatabaseOptions } from './connection.js';
import type { EvidenceSession } from './opened.evidence.js';
import type { Terminal } from './terminal.js';

export type { EvidenceSession };

/** Opens what the work needs, for as long as it takes. What it records of itself is committed when this resolves. */
export async function withEvidence<T>(
  options: DatabaseOptions,
  terminal: Terminal,
  work: (session: EvidenceSession) => Promise<T>,
): Promise<T> {
  // Only now: commands that need no database work without the packages for one.
  const { withOpenEvidence } = await import('./opened.evidence.js');
  return withOpenEvidence(options, terminal, work);
}

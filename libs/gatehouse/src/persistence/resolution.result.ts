import type { StoredResult } from '../contracts/ports/stored.step.js';

/** What a claimed call with a lost outcome came to, by a person's word. */
export function resolvedResult(outcome: 'ran' | 'did-not-run', note: string): StoredResult {
  return outcome === 'ran'
    ? { status: 'completed', outcome: 'success', content: note }
    : { status: 'interrupted', outcome: 'skipped', content: note };
}

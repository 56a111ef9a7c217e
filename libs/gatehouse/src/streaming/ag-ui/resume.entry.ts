import { badField } from '../http/problem.error.js';
import { isObject, wireId } from '../http/fields.js';

/** One answer of `RunAgentInput.resume`, with its payload as it came. */
export interface ResumeEntry {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload: unknown;
}

/** Reads `resume[]`. Throws a 400 problem that names the field; an interrupt answered twice is one. */
export function parseResume(entries: readonly unknown[]): readonly ResumeEntry[] {
  const seen = new Set<string>();
  return entries.map((entry, at) => {
    const field = `resume[${at}]`;
    if (!isObject(entry)) throw badField(field, 'must be an object');
    const interruptId = wireId(entry['interruptId'], `${field}.interruptId`);
    if (seen.has(interruptId)) throw badField(`${field}.interruptId`, 'is answered twice in one request');
    seen.add(interruptId);
    const { status, payload } = entry;
    if (status !== 'resolved' && status !== 'cancelled')
      throw badField(`${field}.status`, "must be 'resolved' or 'cancelled'");
    return Object.freeze({ interruptId, status, payload });
  });
}

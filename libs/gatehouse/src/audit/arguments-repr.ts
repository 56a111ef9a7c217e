import { canonicalText } from '../values/canonical-json.js';
import type { Redactor } from '../values/redactor.js';

/** Most UTF-8 bytes of a record's arguments. */
export const MAX_REPR_BYTES = 64 * 1024;

// Markers come on top of what the sanitizer keeps: one for each of at most 64 levels.
const KEPT_BYTES = MAX_REPR_BYTES - 6 * 1024;

/** Arguments as evidence keeps them: redacted JSON, keys sorted, at most 64 KiB, what is cut marked. Never throws. */
export function argumentsRepr(args: unknown, redactor: Pick<Redactor, 'redact'>): string {
  return args === undefined ? '{}' : canonicalText(redactor.redact(args, { maxBytes: KEPT_BYTES }));
}

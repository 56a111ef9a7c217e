import { sanitize } from './sanitizer.js';

/**
 * The size of a method's own result, as evidence states it: the UTF-16 length of a string as it is, of anything else the
 * length of its JSON; 0 for `undefined`. A result without JSON (a cycle, a bigint) counts as what would be stored.
 * Never throws. A failed method has no result, hence no size: its caller writes `null`.
 */
export function resultSize(value: unknown): number {
  if (typeof value === 'string') return value.length;
  return jsonText(value)?.length ?? 0;
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return JSON.stringify(sanitize(value));
  }
}

import { describeError } from '../values/error-text.js';

/** What failed, with the code of the driver but not its words: those quote values. */
export function failureText(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? ` (${String(cause.code)})` : '';
  return `${describeError(error)}${code}`;
}

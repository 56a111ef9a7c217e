/** The signal of what nobody can cancel. Waiting for it would be waiting for nothing. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

import { setMaxListeners } from 'node:events';

/** The signal of what nobody can cancel. Waiting for it would be waiting for nothing. */
export const NEVER_ABORTED: AbortSignal = new AbortController().signal;

// It is everybody's: many listeners are no leak.
setMaxListeners(0, NEVER_ABORTED);

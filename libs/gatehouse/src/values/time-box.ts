import { NEVER_ABORTED } from './never.aborted.js';
import { timerOf } from './timers.js';

/** How long something may take. */
export interface TimeBox {
  /** From now; absent: any time. */
  readonly milliseconds?: number;
  readonly overdue?: () => Error;
  /** Once aborted, `grace` milliseconds remain. */
  readonly signal: AbortSignal;
  readonly grace: number;
}

/** Waits for a promise as long as its box allows, then throws `overdue()` or the signal's reason. Leaves no timer and no listener behind. */
export const timeBoxed = <T>(promise: Promise<T>, { milliseconds, overdue, signal, grace }: TimeBox): Promise<T> => {
  if (milliseconds === undefined && signal === NEVER_ABORTED) return promise;
  let deadline: NodeJS.Timeout | undefined;
  let mercy: NodeJS.Timeout | undefined;
  let leave = (): void => undefined;
  const out = new Promise<never>((_, reject) => {
    if (milliseconds !== undefined)
      deadline = timerOf(milliseconds, () => reject(overdue?.() ?? new Error('Too late.')));
    leave = () => (mercy = timerOf(grace, () => reject(signal.reason as Error)));
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  });
  return Promise.race([promise, out]).finally(() => {
    clearTimeout(deadline);
    clearTimeout(mercy);
    signal.removeEventListener('abort', leave);
  });
};

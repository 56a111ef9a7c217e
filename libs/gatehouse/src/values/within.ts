import { isPending } from './pending.js';
import { LONGEST_TIMER } from './timers.js';

/**
 * Awaits the work for at most `milliseconds`, then throws what `late` makes. What the work comes to afterwards is dropped, a rejection
 * included. A value that is there already costs no timer.
 */
export async function within<T>(work: T | PromiseLike<T>, milliseconds: number, late: () => Error): Promise<T> {
  if (!isPending(work) || milliseconds > LONGEST_TIMER) return work;
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), milliseconds);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

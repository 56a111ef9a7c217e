import type { Observable } from 'rxjs';
import { onAbort } from './on-abort.js';

/** The last value of an Observable, `undefined` where there is none. Once the signal aborts, nobody listens any more: its reason is thrown. */
export const lastOf = (source: Observable<unknown>, signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve, reject) => {
    let last: unknown;
    const subscription = source.subscribe({
      next: (value) => (last = value),
      error: reject,
      complete: () => resolve(last),
    });
    const unfollow = onAbort(signal, () => {
      subscription.unsubscribe();
      reject(signal.reason as Error);
    });
    subscription.add(unfollow);
  });

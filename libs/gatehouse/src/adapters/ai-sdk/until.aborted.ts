/**
 * The items of a stream, until a signal aborts: then the signal's reason is thrown at once, even where the source never answers again.
 * Leaving the loop lets go of the source without waiting for it.
 */
export async function* untilAborted<T>(
  source: AsyncIterable<T>,
  signal: AbortSignal,
): AsyncGenerator<T, void, undefined> {
  const items = source[Symbol.asyncIterator]();
  const abort = aborting(signal);
  try {
    for (;;) {
      const next = await Promise.race([items.next(), abort.promise]);
      // Aborting also ends the source, and either may be seen first.
      signal.throwIfAborted();
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    abort.dispose();
    void Promise.resolve(items.return?.()).catch(() => undefined);
  }
}

const aborting = (signal: AbortSignal) => {
  let dispose = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
    dispose = () => signal.removeEventListener('abort', leave);
    if (signal.aborted) leave();
  });
  // Nobody may be waiting at the moment it aborts.
  promise.catch(() => undefined);
  return { promise, dispose };
};

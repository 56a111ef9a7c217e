interface Listening {
  readonly listeners: Set<() => void>;
  readonly abort: () => void;
}

const signals = new WeakMap<AbortSignal, Listening>();

/**
 * Calls `listener` once the signal aborts, at once where it has. Returns what ends that. However many listen here, the signal itself has one listener, and
 * none once nobody does: a caller may hand one signal to any number of runs, and Node takes the eleventh listener for a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  const { listeners, abort } = signals.get(signal) ?? listenTo(signal);
  // The same function may listen twice.
  const own = (): void => listener();
  listeners.add(own);
  return () => {
    if (!listeners.delete(own) || listeners.size > 0) return;
    signal.removeEventListener('abort', abort);
    signals.delete(signal);
  };
}

function listenTo(signal: AbortSignal): Listening {
  const listeners = new Set<() => void>();
  const abort = (): void => listeners.forEach((listener) => listener());
  signal.addEventListener('abort', abort, { once: true });
  const listening = { listeners, abort };
  signals.set(signal, listening);
  return listening;
}

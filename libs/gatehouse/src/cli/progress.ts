import type { Terminal } from './terminal.js';

const EVERY_MS = 200;

/** Told how far long work has come. */
export interface Progress {
  /** @param total 0 where nobody knows */
  at(what: string, done: number, total: number): void;
  end(): void;
}

/** One line on stderr that is written over; nothing where nobody watches. */
export function progressOn(terminal: Terminal, isQuiet = false): Progress {
  if (!terminal.isWatched || isQuiet) return { at: () => undefined, end: () => undefined };
  let shown = 0;
  return {
    at: (what, done, total) => {
      const now = performance.now();
      if (now - shown < EVERY_MS) return;
      shown = now;
      const share = total > 0 ? ` (${Math.min(100, Math.floor((100 * done) / total))}%)` : '';
      terminal.err(`\r\u001b[K${what} ${done.toLocaleString('en')}${share}`);
    },
    end: () => {
      if (shown > 0) terminal.err('\r\u001b[K');
    },
  };
}

import type { WatchEnd } from '../contracts/ports/run.store.js';

/**
 * One instant says who watches a run. Before this many hours from now: somebody does, or did until then. A thousand years later, or two: the last one has
 * ended so, and others that are there say so again until that much before it. Such an instant never passes: what ended in order is no silence.
 */
export const MARK_HOURS: Readonly<Record<WatchEnd, number>> = Object.freeze({ gone: 8_766_000, cut: 17_532_000 });

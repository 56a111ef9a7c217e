import type { RunCounters } from '../contracts/ports/stored.run.js';

/** What a run has spent when it starts. */
export const NO_COUNTERS: RunCounters = Object.freeze({
  usage: Object.freeze({ requests: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 }),
  retries: Object.freeze({}),
  refusals: Object.freeze({}),
  toolRefusals: Object.freeze({}),
});

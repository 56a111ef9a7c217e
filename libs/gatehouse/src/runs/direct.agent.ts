import type { RunExecutor } from '../contracts/run.js';

/** The agent of the implicit run around a gated direct call. */
export const DIRECT_AGENT = '(direct)';

/** Its run has nothing more to do than the call that waited. */
export const directExecutor: RunExecutor = {
  execute: async (run) => ({ value: run.resumed?.at(-1)?.value }),
};

import type { RunLimits } from '../contracts/limits.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { toMilliseconds } from '../values/durations.js';

type Limits = ResolvedOptions['limits'];

/** The module's limits, narrowed or widened by the agent's, then by the request's. */
export const limitsOf = (base: Limits, ...more: readonly (Partial<RunLimits> | undefined)[]): Limits => {
  const merged = Object.assign({}, base, ...more.map(defined)) as RunLimits;
  const { duration, decisionTimeout } = merged;
  return Object.freeze({
    ...merged,
    decisionTimeout: toMilliseconds(decisionTimeout, 'limits.decisionTimeout'),
    duration: duration === undefined ? undefined : toMilliseconds(duration, 'limits.duration'),
  });
};

const defined = (limits: Partial<RunLimits> | undefined): Partial<RunLimits> =>
  Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined));

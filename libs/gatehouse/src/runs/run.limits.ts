import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { RunLimits } from '../contracts/limits.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { toMilliseconds } from '../values/durations.js';

type Limits = ResolvedOptions['limits'];

/** The module's limits, narrowed or widened by the agent's, then by the request's. Throws `ConfigurationError` for what is no count. */
export const limitsOf = (base: Limits, ...more: readonly (Partial<RunLimits> | undefined)[]): Limits => {
  const merged = Object.assign({}, base, ...more.map(defined)) as RunLimits;
  const { duration, decisionTimeout, ...counts } = merged;
  for (const [name, count] of Object.entries(counts)) checkCount(name, count);
  return Object.freeze({
    ...merged,
    decisionTimeout: toMilliseconds(decisionTimeout, 'limits.decisionTimeout'),
    duration: duration === undefined ? undefined : toMilliseconds(duration, 'limits.duration'),
  });
};

// A comparison with what is no number is always false: the limit would be none.
const checkCount = (name: string, count: unknown): void => {
  if (Number.isSafeInteger(count) && (count as number) >= 0) return;
  throw new ConfigurationError(`limits.${name} is ${String(count)}: write a whole number that is 0 or more.`);
};

const defined = (limits: Partial<RunLimits> | undefined): Partial<RunLimits> =>
  Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined));

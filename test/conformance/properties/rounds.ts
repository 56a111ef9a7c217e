import type { Parameters } from 'fast-check';

/** Cases of each property in a round of `npm test`; `npm run soak:properties` sets `PROPERTY_RUNS` to thousands. */
const SHORT = 25;
/** A short round repeats the same cases everywhere; a long one looks at new ones unless `PROPERTY_SEED` names them. */
const SEED = 20_261_130;

const numberOf = (name: string): number | undefined => {
  const text = process.env[name];
  return text === undefined || text === '' ? undefined : Number(text);
};

const long = numberOf('PROPERTY_RUNS');

/** How a property is run. `share`: of the cases, where one case costs as much as several. */
export const round = (share = 1): Parameters<unknown> => ({
  numRuns: Math.max(1, Math.round((long ?? SHORT) * share)),
  seed: numberOf('PROPERTY_SEED') ?? (long === undefined ? SEED : Date.now() % 2_147_483_647),
  includeErrorInReport: true,
});

/** A case takes milliseconds; shrinking a failure takes many cases. */
export const PATIENCE = 60_000 + (long ?? SHORT) * 1000;

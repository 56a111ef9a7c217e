import type { Performance } from './performance.js';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** What differs between two runs of the same script by its nature. */
const OF_THE_MOMENT = new Set([
  'expiresAt',
  'argumentsDigest',
  'executedDigest',
  'startedAt',
  'finishedAt',
  'durationMs',
  'usage',
]);

/** Everything that can be seen of a run, without what is new in each: ids become numbers in the order they appear. */
export const seen = (
  performance: Performance,
  parts: { readonly executions: boolean } = { executions: true },
): string => {
  const { who, events, requests, results, rows, terminals, executions, outcomes, starts } = performance;
  const ends = outcomes.map((outcome) =>
    'error' in outcome ? [outcome.status, outcome.stage, String(outcome.error)] : outcome.status,
  );
  const ran = starts.map(({ toolName, args, threw }) => [toolName, args, String(threw)]);
  const told = results.map((one) =>
    one.map(({ toolCallId, status, outcome, content }) => [toolCallId, status, outcome, content]),
  );
  const ledger = [...rows].sort(
    (one, other) => one.step - other.step || one.position - other.position || (one.id < other.id ? -1 : 1),
  );
  const all = { ends, ran, events, told, requests, ledger, terminals, executions: parts.executions ? executions : [] };
  const text = JSON.stringify(all, (key, value: unknown) => (OF_THE_MOMENT.has(key) ? undefined : value), 1);
  const numbers = new Map<string, string>();
  const numbered = text.replace(UUID, (id) => {
    if (!numbers.has(id)) numbers.set(id, `#${numbers.size}`);
    return numbers.get(id) ?? id;
  });
  return numbered.replaceAll(who, 'WHO');
};

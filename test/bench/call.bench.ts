import 'reflect-metadata';
import { getEventListeners } from 'node:events';
import { cpus } from 'node:os';
import { generateText, jsonSchema, stepCountIs, streamText } from 'ai';
import { benchApp, benchModel } from './bench.app.js';
import { inTurns, type Contender, type Timing } from './rounds.js';

// What governance costs: one call against the bare method, and one run of two model responses against the AI SDK's own tool loops. Medians of
// interleaved rounds in one process. Everything in memory: with Postgres a run waits for its transactions instead.

const ROUNDS = 15;
const CALLS = 500;
const args = { id: 7 };

const none = await benchApp({ inspectors: 0, hooks: 0, records: false });
const one = await benchApp({ inspectors: 1, hooks: 1, records: false });
const five = await benchApp({ inspectors: 5, hooks: 5, records: false });
const full = await benchApp({ inspectors: 1, hooks: 0, records: true });
const apps = [none, one, five, full];

const governed = (name: string, app: typeof none, tool = 'plain'): Contender => ({
  name,
  times: CALLS,
  once: () => app.executor.call(tool, args),
});
const bare: Contender = { name: 'bare method', times: 20_000, once: () => none.tools.lookup(args) };
const batch: Contender = {
  name: 'a batch of 8, each call of it (1 inspector, 1 hook)',
  times: CALLS / 8,
  parts: 8,
  once: () => one.executor.callBatch(Array.from({ length: 8 }, () => ({ toolName: 'plain', args }))),
};
const calls = [
  bare,
  governed('a call, guard and policy on', none),
  governed('… 1 inspector, 1 hook', one),
  governed('… 5 inspectors, 5 hooks', five),
  governed('… an approval predicate, 1 inspector, 1 hook', one, 'predicate'),
  governed('… a DTO, 1 inspector, records in memory', full, 'lookup'),
  batch,
];

const tools = {
  lookup: {
    description: 'Look up one order',
    inputSchema: jsonSchema<{ id: number }>({
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
    }),
    execute: (input: { id: number }) => full.tools.lookup(input),
  },
};
const question = { model: benchModel(), prompt: 'Where is order 7?', tools, stopWhen: stepCountIs(5) };
const oneRun = () => full.runner.start({ agent: 'bench', input: question.prompt }).result();
const streamed: Contender = { name: 'streamText tool loop', times: 50, once: async () => streamText(question).text };
const runs: Contender[] = [
  streamed,
  { name: 'generateText tool loop', times: 50, once: () => generateText(question) },
  { name: 'governed ModelAgent run', times: 50, once: oneRun },
  {
    name: '64 governed runs at once, each',
    times: 2,
    parts: 64,
    once: () => Promise.all(Array.from({ length: 64 }, oneRun)),
  },
];

const table = (timings: readonly Timing[], against: string): void => {
  const base = timings.find(({ name }) => name === against)?.median ?? Number.NaN;
  console.log(
    `\n| one of | median us | fastest .. slowest round | over ${against} | ratio |\n| --- | --- | --- | --- | --- |`,
  );
  for (const { name, median, fastest, slowest } of timings) {
    const figures = [median, `${fastest.toFixed(1)} .. ${slowest.toFixed(1)}`, median - base, median / base];
    console.log(
      `| ${[name, ...figures.map((figure) => (typeof figure === 'number' ? figure.toFixed(2) : figure))].join(' | ')} |`,
    );
  }
};

console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${ROUNDS} rounds`);
table(await inTurns(calls, ROUNDS), bare.name);
table(await inTurns(runs, ROUNDS), streamed.name);

// What a server that has run for long must not show: calls that grow slower, listeners that stay.
const early = (await inTurns([governed('early', none)], 3))[0]?.median ?? Number.NaN;
for (let count = 0; count < 20_000; count += 1) await none.executor.call('plain', args);
const late = (await inTurns([governed('late', none)], 3))[0]?.median ?? Number.NaN;
console.log(`\nAfter 20,000 more calls one takes ${(late / early).toFixed(2)} times as long.`);

const { signal } = new AbortController();
for (let count = 0; count < 10_000; count += 1) await none.executor.call('plain', args, { signal });
const left = getEventListeners(signal, 'abort').length;
console.log(`After 10,000 calls with one signal it has ${left} listeners.`);

for (const app of apps) await app.close();
if (left > 0) throw new Error(`${left} listeners were left on a long-lived signal.`);

import 'reflect-metadata';
import { generateText, jsonSchema, stepCountIs, streamText } from 'ai';
import { cpus } from 'node:os';
import { benchApp, benchModel } from './bench.app.js';
import { inTurns, type Contender, type Timing } from './rounds.js';

// What governance costs: one call against the bare method, and one run of two model responses against the AI SDK's own tool loop. Medians of
// interleaved rounds in one process. Everything in memory: with Postgres a run waits for its transactions instead.

const ROUNDS = 15;

const app = await benchApp();
const args = { id: 7 };
const tools = {
  lookup: {
    description: 'Look up one order',
    inputSchema: jsonSchema<{ id: number }>({
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
    }),
    execute: (input: { id: number }) => app.tools.lookup(input),
  },
};
const model = benchModel();
const question = { model, prompt: 'Where is order 7?', tools, stopWhen: stepCountIs(5) };

const bare: Contender = { name: 'bare method', times: 20_000, once: () => app.tools.lookup(args) };
const governed: Contender = { name: 'ToolExecutor.call', times: 500, once: () => app.executor.call('lookup', args) };
const generated: Contender = { name: 'generateText tool loop', times: 50, once: () => generateText(question) };
const streamed: Contender = { name: 'streamText tool loop', times: 50, once: async () => streamText(question).text };
const run: Contender = {
  name: 'governed ModelAgent run',
  times: 50,
  once: () => app.runner.start({ agent: 'bench', input: question.prompt }).result(),
};

const table = (timings: readonly Timing[], against: string): void => {
  const base = timings.find(({ name }) => name === against)?.median ?? Number.NaN;
  console.log(`\n| one of | median us | fastest .. slowest round | against ${against} |\n| --- | --- | --- | --- |`);
  for (const { name, median, fastest, slowest } of timings) {
    console.log(
      `| ${name} | ${median.toFixed(2)} | ${fastest.toFixed(2)} .. ${slowest.toFixed(2)} | ${(median / base).toFixed(2)}x |`,
    );
  }
};

const timings = await inTurns([bare, governed, generated, streamed, run], ROUNDS);
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${ROUNDS} rounds`);
table(timings.slice(0, 2), bare.name);
table(timings.slice(2), generated.name);

const expected = (ROUNDS + 1) * (governed.times + run.times);
await app.close();
if (app.logger.records !== expected)
  throw new Error(`${expected} governed calls, but ${app.logger.records} audit records.`);

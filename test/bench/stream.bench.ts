import 'reflect-metadata';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

import { GatehouseMigrator } from 'nest-gatehouse/typeorm';
import { readEvents } from 'nest-gatehouse/testing';
import { DataSource } from 'typeorm';

import globalSetup from '../support/jest.global-setup.js';
import globalTeardown from '../support/jest.global-teardown.js';
import { freshDatabase } from '../support/postgres.js';
import { ourServer, signalling, speaking, type OurServer } from './stream.app.js';
import { bareServer, sseServer, type StreamServer } from './stream.servers.js';
import { Stage } from './stream.speech.js';
import { Visitors, type Visited } from './stream.visitors.js';

// What a stream of ours costs, against a bare server that writes the same frames and against plain `@Sse()`. The clients are a process of their own.
// Medians of interleaved rounds. On a busy machine look at the ratios by processor time.

const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 5);
const STREAMS = 500;
const DELTAS = 300;
const BODY = JSON.stringify({
  threadId: 'thread-{n}',
  runId: 'segment-{n}',
  messages: [{ id: 'message-{n}', role: 'user', content: 'go' }],
});

const only = process.argv.slice(2);
const wanted = (name: string): boolean => only.length === 0 || only.includes(name);
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
const say = (what: string, figure: string, aim: string): void => console.log(`| ${what} | ${figure} | ${aim} |`);

const stage = new Stage();
const visitors = new Visitors();
await globalSetup();
const database = await freshDatabase();
const source = new DataSource({ type: 'postgres', url: database.url });
await new GatehouseMigrator(source.options, 'gatehouse').migrate('run');
const memory = await ourServer();
const stored = await ourServer(database.url);

const visit = ({ url }: StreamServer, count: number): Promise<Visited> =>
  visitors.visit({ url, count, body: BODY }, () => stage.begin());

/** The frames of one of our streams, as they stand on the wire. */
async function framesOf(server: OurServer): Promise<string[]> {
  stage.set({ deltas: DELTAS, every: 0 });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(server.url, { method: 'POST', headers, body: BODY.replaceAll('{n}', 'recorded') });
  stage.begin();
  const frames = await readEvents(response);
  return frames.filter(({ data }) => data !== undefined).map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`);
}

type Contender = 'bare' | 'plain' | 'ours';

/** In turns, so that a busy moment of the machine hits all alike. */
async function inTurns(contenders: { readonly [Name in Contender]?: StreamServer }): Promise<
  Record<Contender, Visited[]>
> {
  const taken: Record<Contender, Visited[]> = { bare: [], plain: [], ours: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, server] of Object.entries(contenders) as [Contender, StreamServer][]) {
      stage.set({ deltas: DELTAS, every: 0 });
      const visited = await visit(server, STREAMS);
      // The first round only warms up.
      if (round > 0) taken[name].push(visited);
    }
  }
  return taken;
}

function compared(
  what: string,
  taken: Record<Contender, Visited[]>,
  against: Contender,
  of: 'events' | 'deltas',
  aim: string,
): void {
  const rate = (name: Contender, by: 'seconds' | 'cpu') =>
    median(taken[name].map((one) => (of === 'events' ? one.events : STREAMS * DELTAS) / one[by]));
  const ratio = (by: 'seconds' | 'cpu') => (rate('ours', by) / rate(against, by)).toFixed(2);
  const rates = `${Math.round(rate('ours', 'seconds'))} against ${Math.round(rate(against, 'seconds'))}`;
  say(what, `${ratio('seconds')} (${rates}), by processor time ${ratio('cpu')}`, aim);
}

/** Events that cannot be merged, one in each turn of the loop, and a bare server with the same frames. */
async function events(): Promise<void> {
  memory.agent.execute = signalling(stage);
  const bare = await bareServer(stage, await framesOf(memory));
  const taken = await inTurns({ bare, ours: memory });
  await bare.close();
  memory.agent.execute = speaking(stage);
  compared(
    `events/s at ${STREAMS} streams, against a bare server with the same frames`,
    taken,
    'bare',
    'events',
    '0.6',
  );
}

/** A model that speaks as fast as it can. */
async function deltas(): Promise<void> {
  const plain = await sseServer(stage);
  const taken = await inTurns({ plain, ours: memory });
  await plain.close();
  compared(`deltas/s at ${STREAMS} streams, log off, against plain @Sse()`, taken, 'plain', 'deltas', '2');
}

/** Bytes that an idle stream holds: an open connection, and its run that waits. */
async function idle(count: number): Promise<void> {
  const collect = (): number => {
    for (let at = 0; at < 3; at += 1) globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  let grown = Number.NaN;
  let grownRss = Number.NaN;
  stage.set({ deltas: 0, every: 0 });
  const before = collect();
  const { rss } = process.memoryUsage();
  await visitors.visit({ url: memory.url, count, body: BODY }, async () => {
    await pause(2_000);
    grown = (collect() - before) / count;
    grownRss = (process.memoryUsage().rss - rss) / count;
    stage.begin();
  });
  say(
    `memory of one of ${count} idle streams`,
    `${(grown / 1000).toFixed(1)} kB (resident ${(grownRss / 1000).toFixed(1)})`,
    '60 kB',
  );
}

async function firstEvent(name: string, server: OurServer): Promise<void> {
  const delays: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    stage.set({ deltas: 1, every: 0, stamped: true, apart: 10 });
    const visited = await visit(server, 100);
    if (round > 0) delays.push(...visited.delays);
  }
  const figure = `${(percentile(delays, 0.95) / 1000).toFixed(1)} ms (median ${(median(delays) / 1000).toFixed(1)})`;
  say(`from the first token to its event, 95th of 100 streams, ${name}`, figure, '5 ms');
}

/** Read with as little work as possible: the client shares the processor with the server. */
async function textOf(url: string): Promise<string> {
  const asking = request(url).end();
  const [response] = (await once(asking, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  response.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(response, 'end');
  return Buffer.concat(chunks).toString();
}

async function resume(events: number): Promise<void> {
  let runId = '';
  stored.agent.execute = async (run) => {
    runId = run.runId;
    for (let at = 0; at < events; at += 1) run.emit({ type: 'custom', name: 'progress', value: { at } });
    return { value: null };
  };
  const headers = { 'content-type': 'application/json' };
  const body = BODY.replaceAll('{n}', 'resumed');
  await (await fetch(stored.url, { method: 'POST', headers, body })).text();
  const took: number[] = [];
  for (let round = 0; round <= ROUNDS * 2; round += 1) {
    const since = performance.now();
    const text = await textOf(`${stored.url}/${runId}/events`);
    if (round > 0) took.push(performance.now() - since);
    if (text.split('\ndata: ').length !== events + 3) throw new Error('Not every event came back.');
  }
  say(`replay of ${events} stored events, Postgres`, `${median(took).toFixed(0)} ms`, '100 ms');
  stored.agent.execute = speaking(stage);
}

async function logCost(): Promise<void> {
  const taken: Record<'on' | 'off', number[]> = { on: [], off: [] };
  for (let round = 0; round <= Math.min(ROUNDS, 3); round += 1) {
    for (const [name, server] of [
      ['off', memory],
      ['on', stored],
    ] as const) {
      stage.set({ deltas: 100, every: 100 });
      let cpu = Number.NaN;
      await visitors.visit({ url: server.url, count: STREAMS, body: BODY }, async () => {
        stage.begin();
        // While all of them speak: what beginning and ending five hundred runs takes is another matter.
        await pause(1_000);
        const before = process.cpuUsage();
        await pause(7_000);
        const { user, system } = process.cpuUsage(before);
        cpu = (user + system) / 1e6;
      });
      if (round > 0) taken[name].push(cpu);
    }
  }
  const [on, off] = [median(taken.on), median(taken.off)];
  const figure = `${((on / off - 1) * 100).toFixed(0)}% (${on.toFixed(2)} s against ${off.toFixed(2)} s)`;
  say(`processor time, log in Postgres over memory, ${STREAMS} streams of 10 deltas/s`, figure, '20%');
}

async function leaving(): Promise<void> {
  memory.agent.execute = async (run) => ({ value: await run.call('wait') });
  const delays: number[] = [];
  for (let round = 0; round <= ROUNDS * 4; round += 1) {
    const began = new Promise<void>((resolve) => (memory.tool.began = resolve));
    const seen = new Promise<void>((resolve) => (memory.tool.seen = resolve));
    const asking = request(memory.url, { method: 'POST', headers: { 'content-type': 'application/json' } });
    asking.on('error', () => undefined).end(BODY.replaceAll('{n}', `leaving-${round}`));
    await once(asking, 'response');
    await began;
    const since = performance.now();
    asking.destroy();
    await seen;
    delays.push(performance.now() - since);
  }
  const figure = `${median(delays).toFixed(1)} ms (most ${Math.max(...delays).toFixed(1)})`;
  say("from a client's leaving to the tool's signal", figure, '');
  memory.agent.execute = speaking(stage);
}

memory.agent.execute = speaking(stage);
stored.agent.execute = speaking(stage);
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, ${ROUNDS} rounds\n`);
console.log('| what | measured | aim |\n| --- | --- | --- |');
try {
  if (wanted('events')) await events();
  if (wanted('deltas')) await deltas();
  if (wanted('idle')) await idle(2_000);
  if (wanted('first')) await firstEvent('memory', memory);
  if (wanted('first')) await firstEvent('Postgres', stored);
  if (wanted('resume')) await resume(10_000);
  if (wanted('log')) await logCost();
  if (wanted('leaving')) await leaving();
} finally {
  visitors.close();
  await Promise.all([memory.close(), stored.close()]);
  await database.drop();
  await globalTeardown();
}

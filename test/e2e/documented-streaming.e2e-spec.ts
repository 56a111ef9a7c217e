import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';

import { RunFeed, StorageUnavailableError } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ANN, eventsIn, get, statusOf, typesOf } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { documentedWatch } from './support/documented.watch.js';
import { visit } from './support/visit.js';
import { decide, suspend } from './support/waiting.js';

describe('the EventSource that the guide on streaming shows', () => {
  let desk: Desk;
  /** What stands before the server answers the next requests for events with these, such as a proxy. */
  const refusals: number[] = [];
  beforeAll(async () => {
    desk = await openDesk({ streaming: { onDisconnect: 'continue' } }, [], (app) =>
      app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
        const refusal = request.url?.includes('/events') === true ? refusals.shift() : undefined;
        if (refusal !== undefined) return response.writeHead(refusal).end();
        // A cookie's work: an EventSource sends no header.
        Object.assign(request.headers, { 'x-user': ANN.user, 'x-org': ANN.org });
        return next();
      }),
    );
  });
  afterAll(() => desk.close());

  /** All that the sample does, and what somebody else does at one of its steps, once. */
  const watching = async (runId: string, at = '', meanwhile: () => unknown = () => undefined): Promise<string[]> => {
    const steps: string[] = [];
    for await (const step of documentedWatch(desk.url, runId)) {
      if (step === at && !steps.includes(at)) await meanwhile();
      steps.push(step);
    }
    return steps;
  };
  const typesIn = async (runId: string): Promise<string[]> =>
    typesOf(await eventsIn(await get(desk, `runs/${runId}/events`)));

  it('attaches again where the store breaks its stream off, and where it is refused, and ends with the run', async () => {
    desk.play([[call('slow', { order: 1 })], [says('done')]]);
    const { response, leave } = visit(desk);
    const first = await response;
    const runId = first.headers.get('gatehouse-run-id') ?? '';
    const seen = await eventsIn(first, { until: ({ data }) => data?.includes('"TOOL_CALL_END"') ?? false });
    leave();
    const feed = desk.get(RunFeed);
    const batches = feed.batches.bind(feed);
    feed.batches = async function* (...asked) {
      feed.batches = batches;
      for await (const frames of batches(...asked)) {
        yield frames;
        refusals.push(503, 502);
        throw new StorageUnavailableError('read events');
      }
    };
    const told = await watching(runId, 'pauses 4000', () => desk.tools.slowly.open());
    const whole = await typesIn(runId);
    const before = whole.slice(0, seen.length);
    expect(told).toEqual([...before, 'pauses 1000', 'pauses 2000', 'pauses 4000', ...whole.slice(seen.length)]);
    expect(whole.at(-1)).toBe('RUN_FINISHED');
  });

  it('stays through an interrupt, and gives up after ten tries that came to nothing', async () => {
    const waiting = await suspend(desk, 'refund');
    const told = await watching(waiting.runId, 'RUN_FINISHED', () => decide(desk, waiting, { approved: true }));
    expect(await statusOf(desk, waiting.runId)).toBe('completed');
    expect(told).toEqual(await typesIn(waiting.runId));
    expect(told.filter((step) => step === 'RUN_FINISHED')).toHaveLength(2);
    expect(await watching('another')).toEqual([
      ...[1, 2, 4, 8, 16, 30, 30, 30, 30, 30].map((seconds) => `pauses ${seconds * 1000}`),
      'lost',
    ]);
  });
});

describe('the filters that the guide on streaming names', () => {
  const inQuotes = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

  it('are those that each route takes', async () => {
    const guide = await readFile(new URL('../../docs/streaming.md', import.meta.url), 'utf8');
    const [, table = ''] = /^\| route \| filters \|\n.*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
    // In brackets stands what a filter may be.
    const [runs, approvals, common = [], ...rest] = table
      .replace(/ \([^)]*\)/g, '')
      .trimEnd()
      .split('\n')
      .map((row) => inQuotes(row));
    const lists = [runs, approvals, ...rest].map((names = []) => names);
    const named = lists.map(([route = '', ...own]) => {
      const isFile = route === 'audit/export';
      if (route === 'audit/verify') return [route, ...own];
      // Its first two are the routes that it is about.
      return [
        route,
        ...own,
        ...(route.startsWith('audit/') ? common.slice(2) : []),
        ...(isFile ? [] : ['limit', 'cursor']),
      ];
    });
    const desk = await openDesk();
    for (const [route = '', ...names] of named) {
      const { detail } = (await (await get(desk, `${route}?none=1`)).json()) as { detail: string };
      const taken = detail.replace("Query parameter 'none' is none of ", '').replace(/\.$/, '').split(', ');
      expect([route, ...taken.sort()]).toEqual([route, ...names.sort()]);
    }
    expect(named).toHaveLength(8);
    await desk.close();
  });
});

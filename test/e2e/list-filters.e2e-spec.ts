import { Injectable, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Agent, Tool, type RunCandidate, type RunContext, type RunExecutor } from 'nest-gatehouse';
import { call, says, scriptedExecutor, type ExecutorLine, type ScriptedExecutor } from 'nest-gatehouse/testing';

import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asks, eventsIn, get, jsonIn, post, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { thinks4ever } from './support/visit.js';

const BOX = { type: 'object', properties: { box: { type: 'integer' } }, required: ['box'] };

interface Box {
  readonly box: number;
}

/** Tools that say what they act on. */
@Injectable()
class Parcels {
  @Tool<Box>({ parameters: BOX, target: ({ box }) => ({ type: 'parcel', id: String(box) }) })
  ship({ box }: Box): string {
    return `box ${box} is on its way`;
  }

  @Tool<Box>({ parameters: BOX, target: ({ box }) => ({ type: 'scale', id: String(box) }) })
  weigh(_box: Box): string {
    throw new Error('The scale is broken.');
  }
}

@Agent({ name: 'clerk' })
class Clerk implements RunExecutor {
  script: ScriptedExecutor = scriptedExecutor([]);

  execute(run: RunContext): Promise<RunCandidate> {
    return this.script.execute(run);
  }
}

@Module({ providers: [Parcels, Clerk] })
class ParcelModule {}

const ANN: Who = { user: 'ann', org: 'acme' };
const BOB: Who = { user: 'bob', org: 'acme' };
const CAT: Who = { user: 'cat', org: 'acme', roles: 'finance,approval.read,approval.decide' };
const EVE: Who = { user: 'eve', org: 'acme', roles: 'run.read,approval.read,audit.read' };

/** What the runs are, by their names, in lists that begin with the newest; `{run:first}` is the id of one. */
const RUNS = 'sixth fifth fourth third second first';
const APPROVALS = 'sixth fourth third';
const EXECUTIONS = 'fifth third second first';
const OPERATIONS = 'sixth third second first';
const TERMINALS = 'sixth fifth third second first';

/** A list, a filter, and who it leaves. */
const FILTERS: readonly (readonly [list: string, filter: string, left: string])[] = [
  ['runs?organizationId=acme', '', RUNS],
  ['runs?organizationId=acme', 'agent=clerk', 'second'],
  ['runs?organizationId=acme', 'threadId={thread:third}', 'third'],
  ['runs?organizationId=acme', 'status=suspended', 'fourth'],
  ['approvals?', '', APPROVALS],
  ['approvals?', 'toolName=refund', 'sixth fourth'],
  ['approvals?', 'requestedBy=ann', 'third'],
  ['approvals?', 'status=pending', 'fourth'],
  ['approvals?', 'runId={run:third}', 'third'],
  ['approvals?', 'threadId={thread:sixth}', 'sixth'],
  ['audit/executions?', '', EXECUTIONS],
  ['audit/executions?', 'toolName=ship', 'first'],
  ['audit/executions?', 'kind=run', 'fifth'],
  ['audit/executions?', 'kind=tool', 'third second first'],
  ['audit/executions?', 'success=true', 'third first'],
  ['audit/executions?', 'success=false', 'fifth second'],
  ['audit/executions?', 'operationId={operation:second}', 'second'],
  ['audit/executions?', 'targetType=parcel', 'first'],
  ['audit/executions?', 'targetId=2', 'second'],
  ['audit/executions?', 'runId={run:first}', 'first'],
  ['audit/executions?', 'threadId={thread:second}', 'second'],
  ['audit/executions?', 'principalId=bob', 'second'],
  ['audit/executions?', 'from={between}', 'fifth third'],
  ['audit/executions?', 'until={between}', 'second first'],
  ['audit/operations?', '', OPERATIONS],
  ['audit/operations?', 'toolName=weigh', 'second'],
  ['audit/operations?', 'status=completed', 'third first'],
  ['audit/operations?', 'decidedBy=person', 'sixth'],
  ['audit/operations?', 'runId={run:first}', 'first'],
  ['audit/operations?', 'threadId={thread:second}', 'second'],
  ['audit/operations?', 'principalId=bob', 'sixth second'],
  ['audit/operations?', 'from={between}', 'sixth third'],
  ['audit/operations?', 'until={between}', 'second first'],
  ['audit/approvals?', '', APPROVALS],
  ['audit/approvals?', 'toolName=remove', 'third'],
  ['audit/approvals?', 'status=denied', 'sixth'],
  ['audit/approvals?', 'approver=cat', 'third'],
  ['audit/approvals?', 'runId={run:fourth}', 'fourth'],
  ['audit/approvals?', 'threadId={thread:sixth}', 'sixth'],
  ['audit/approvals?', 'principalId=bob', 'sixth fourth'],
  ['audit/approvals?', 'from={later}', 'sixth'],
  ['audit/approvals?', 'until={later}', 'fourth third'],
  ['audit/terminals?', '', TERMINALS],
  ['audit/terminals?', 'status=cancelled', 'fifth'],
  ['audit/terminals?', 'agent=clerk', 'second'],
  ['audit/terminals?', 'runId={run:first}', 'first'],
  ['audit/terminals?', 'threadId={thread:second}', 'second'],
  ['audit/terminals?', 'principalId=bob', 'sixth second'],
  ['audit/terminals?', 'from={between}', 'sixth fifth third'],
  ['audit/terminals?', 'until={between}', 'second first'],
];

type Row = Readonly<Record<string, unknown>>;

describe.each(['in memory', 'on Postgres'])('what lists are filtered by over HTTP, %s', (store) => {
  let database: FreshDatabase | undefined;
  let desk: Desk;
  const instants = new Map<string, string>();
  // In memory no logger keeps executions.
  const kept = FILTERS.filter(([list]) => store === 'on Postgres' || list !== 'audit/executions?');
  const runs = new Map<string, { readonly runId: string; readonly threadId: string }>();
  const names = new Map<unknown, string>();
  const named = (name: string) => runs.get(name) ?? { runId: '', threadId: '' };

  const started = async (name: string, path: string, who: Who): Promise<Response> => {
    const input = asks('go');
    const response = await post(desk, path, input, { who });
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    runs.set(name, { runId, threadId: String(input['threadId']) });
    names.set(runId, name);
    return response;
  };
  const played = async (name: string, who: Who, lines: readonly ExecutorLine[], path = 'runs') => {
    const script = desk.play(lines);
    desk.get(Clerk).script = script;
    await eventsIn(await started(name, path, who));
  };
  /** Notes an instant after everything so far, and before everything that follows. */
  const pass = async (name: string) => {
    const ended = Date.now();
    while (Date.now() <= ended) await new Promise(setImmediate);
    instants.set(name, new Date().toISOString());
  };

  /** Asks, is answered by this person, and runs to its end. */
  const decided = async (name: string, who: Who, tool: string, by: Who, approved: boolean) => {
    await played(name, who, [[call(tool, { order: 1 })], [says('ok')]]);
    const { runId } = named(name);
    const { items } = await jsonIn<{ items: { id: string; argumentsDigest: string }[] }>(
      get(desk, `approvals?runId=${runId}`, { who }),
    );
    const { id = '', argumentsDigest } = items[0] ?? {};
    const following = await get(desk, `runs/${runId}/events`, { who });
    await post(desk, `approvals/${id}/decision`, { approved, argumentsDigest }, { who: by });
    await eventsIn(following);
  };

  beforeAll(async () => {
    if (store === 'on Postgres') database = await freshDatabase();
    const options = database === undefined ? {} : { persistence: {} };
    const source =
      database === undefined
        ? []
        : [TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true })];
    desk = await openDesk(options, [...source, ParcelModule]);
    await played('first', ANN, [[call('ship', { box: 1 })], [says('ok')]]);
    await played('second', BOB, [[call('weigh', { box: 2 })], [says('ok')]], 'agents/clerk/runs');
    await pass('between');
    await decided('third', ANN, 'remove', CAT, true);
    await played('fourth', BOB, [[call('refund', { order: 1 })], [says('ok')]]);
    desk.play([thinks4ever]);
    const response = await started('fifth', 'runs', ANN);
    await post(desk, `runs/${named('fifth').runId}/cancel`, {});
    await eventsIn(response);
    await pass('later');
    await decided('sixth', BOB, 'refund', BOB, false);
    // Evidence is written a little later than what it tells of.
    for (const [list, filter, left] of kept)
      while (filter === '' && whose((await page(list)).items) !== left) await new Promise(setImmediate);
  });
  afterAll(async () => {
    await desk.close();
    await database?.drop();
  });

  const page = async (path: string) =>
    jsonIn<{ items: Row[]; nextCursor: string | null }>(get(desk, path, { who: EVE }));
  const whose = (rows: readonly Row[]) => rows.map((row) => names.get(row['runId'] ?? row['id'])).join(' ');

  const filled = async (filter: string): Promise<string> => {
    const [placeholder, what = '', name = ''] = /\{(\w+):?(\w*)\}/.exec(filter) ?? [];
    if (placeholder === undefined) return filter;
    const { runId, threadId } = named(name);
    const [operation] = what === 'operation' ? (await page(`audit/operations?runId=${runId}`)).items : [];
    const values: Row = { run: runId, thread: threadId, operation: operation?.['id'] };
    return filter.replace(placeholder, String((values[what] as string | undefined) ?? instants.get(what)));
  };

  it.each(kept)('%s%s leaves %s', async (list, filter, left) => {
    const { items, nextCursor } = await page(`${list}&${await filled(filter)}`);
    expect([whose(items), nextCursor]).toEqual([left, null]);
  });

  it.each(kept.filter(([, filter]) => filter === ''))(
    '%s is walked one by one, each row once',
    async (list, _, all) => {
      const walked: Row[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const { items, nextCursor } = await page(`${list}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
        expect(items).toHaveLength(1);
        walked.push(...items);
        cursor = nextCursor;
      }
      expect(whose(walked)).toBe(all);
      expect(new Set(walked.map(({ id }) => id)).size).toBe(walked.length);
    },
  );
});

import { Injectable } from '@nestjs/common';
import {
  Agent,
  DestructiveTool,
  Middleware,
  RequireApproval,
  RunFeed,
  Tool,
  type ProposedCall,
  type RunCandidate,
  type RunContext,
  type RunEvent,
  type ThreadMessage,
  type ToolCall,
  type ToolMiddleware,
} from 'nest-gatehouse';
import { z } from 'zod';

import { inside } from '../conformance/support/inside.js';
import { sqlOn } from '../conformance/support/sql.js';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';
import { asked } from './support/plain.tools.js';
import { providerProblems } from './strict.provider.js';

const N = z.object({ n: z.number() });

/** `erase` waits for a person; `note` does not; `linger` does not either, and never comes back. */
@Injectable()
class Tools {
  readonly ran: string[] = [];
  lingers: () => void = () => undefined;
  readonly lingering = new Promise<void>((resolve) => (this.lingers = resolve));
  release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  @DestructiveTool({ description: 'Erases', parameters: N })
  erase({ n }: { n: number }): string {
    this.ran.push(`erase ${n}`);
    return `erased ${n}`;
  }

  @Tool({ description: 'Notes', parameters: N })
  note({ n }: { n: number }): string {
    this.ran.push(`note ${n}`);
    return `noted ${n}`;
  }

  @Tool({ description: 'Lingers', parameters: N })
  async linger({ n }: { n: number }): Promise<string> {
    this.ran.push(`linger ${n}`);
    this.lingers();
    await this.released;
    return `lingered ${n}`;
  }

  @Tool({ description: 'Fails, and asks about more', parameters: N })
  @RequireApproval<{ n: number }>({ when: ({ n }) => n > 100 })
  grow({ n }: { n: number }): string {
    this.ran.push(`grow ${n}`);
    throw new Error('too small');
  }
}

/** Tries `grow` again with more, once it failed. */
@Middleware()
class Again implements ToolMiddleware {
  async aroundTool(tool: ToolCall, next: (changed?: { readonly args: unknown }) => Promise<unknown>): Promise<unknown> {
    if (tool.toolName !== 'grow') return next();
    return next().catch(() => next({ args: { n: 200 } }));
  }
}

/** Proposes the calls that its user names, `tool n, tool n`; then says what came of them. */
@Agent({ name: 'mixed' })
class Mixed {
  async execute(run: RunContext): Promise<RunCandidate> {
    const [message] = run.messages;
    const named = message?.role === 'user' ? message.text.split(', ') : [];
    const calls = named.map((text, at): ProposedCall => {
      const [toolName = '', n] = text.split(' ');
      return { toolName, args: { n: Number(n) }, toolCallId: `c${at + 1}` };
    });
    const results = run.resumed ?? (await run.callBatch(calls));
    return { value: { read: results.map(({ content }) => content), problems: providerProblems(run.messages) } };
  }
}

let database: FreshDatabase;
let home: GovernedApp;
let other: GovernedApp;
const start = () =>
  bootOnUrl(database.url, {
    providers: [Tools, Again, Mixed],
    options: { runs: { lease: '60s', grace: 50 } },
  });
beforeEach(async () => {
  database = await freshDatabase(await migratedTemplate());
  [home, other] = [await start(), await start()];
});
afterEach(async () => {
  home.module.get(Tools).release();
  await Promise.all([home.close(), other.close()]);
  await database.drop();
});

/** A run that stands in `linger` while its other calls have done what they could, and whose process is taken for lost. */
async function lost(input: string, meanwhile: (runId: string) => Promise<void> = async () => undefined) {
  const { runId, outcome } = home.runner.start({ agent: 'mixed', input, user: ANN });
  await home.module.get(Tools).lingering;
  while ((await asked(home, runId)).length === 0) await new Promise(setImmediate);
  await meanwhile(runId);
  await sqlOn(database.url, `update gatehouse.agent_run set lease_until = now() - interval '1 second'`);
  await inside<{ sweep(): Promise<void> }>(other.module, 'RunSweeper').sweep();
  return { runId, outcome };
}

const decide = async (runId: string, approved: boolean) => {
  const [approval] = await asked(other, runId);
  await other.approvals.decide(approval?.id ?? '', { approved, by: ANN });
};

async function ended(runId: string): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const signal = AbortSignal.timeout(15_000);
  for await (const { event } of other.module.get(RunFeed).follow(runId, 0, { until: 'run', signal }))
    events.push(event);
  return events;
}

const statusOf = async (runId: string) =>
  (await sqlOn<{ status: string }>(database.url, `select status from gatehouse.agent_run where id = '${runId}'`))[0]
    ?.status;
const resultsIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) => (event.type === 'tool.result' ? [`${event.toolCallId} ${event.status}`] : []));
const outputIn = (events: readonly RunEvent[]) => {
  const last = events.at(-1);
  return last?.type === 'run.finished' ? last.output : last?.type;
};
const UNKNOWN = expect.stringMatching(/^Tool 'linger' was interrupted .* Whether it took effect is not known\.$/);

it('a call that waits outlives its process, though a sibling was under way: that one is interrupted, and not run again', async () => {
  const { runId } = await lost('erase 1, linger 2');
  expect([await statusOf(runId), (await asked(other, runId))[0]?.status]).toEqual(['suspended', 'pending']);
  await decide(runId, true);
  const events = await ended(runId);
  expect(outputIn(events)).toEqual({ read: ['erased 1', UNKNOWN], problems: [] });
  expect(await other.statuses(runId)).toEqual(['erase completed', 'linger interrupted']);
  expect([home.module.get(Tools).ran, other.module.get(Tools).ran]).toEqual([['linger 2'], ['erase 1']]);
  expect(resultsIn(events)).toEqual(['c2 interrupted', 'c1 completed']);
  const [terminal] = (await other.trail.terminals({ runId })).items;
  expect(terminal).toMatchObject({ status: 'completed', usage: { toolCalls: 2 } });
});

it('what was decided while a sibling was under way is not lost with the process', async () => {
  const { runId } = await lost('linger 1, erase 2', (id) => decide(id, true));
  expect(outputIn(await ended(runId))).toEqual({ read: [UNKNOWN, 'erased 2'], problems: [] });
  expect(other.module.get(Tools).ran).toEqual(['erase 2']);
});

it('a sibling whose result was told keeps it: one result, one record', async () => {
  const { runId } = await lost('note 1, erase 2, linger 3');
  await decide(runId, false);
  const events = await ended(runId);
  expect(outputIn(events)).toEqual({ read: ['noted 1', 'The tool call was denied.', UNKNOWN], problems: [] });
  expect(await other.statuses(runId)).toEqual(['note completed', 'erase denied', 'linger interrupted']);
  expect((await other.operations(runId)).map(({ executionStarted }) => executionStarted)).toEqual([true, false, false]);
  expect(resultsIn(events).toSorted()).toEqual(['c1 completed', 'c2 denied', 'c3 interrupted']);
});

it('a call that ran before it asked is on record as started, whatever becomes of what it asked', async () => {
  const { runId } = await lost('grow 1, linger 2');
  await decide(runId, false);
  await ended(runId);
  expect(await other.operations(runId)).toMatchObject([
    { toolName: 'grow', status: 'denied', executionStarted: true },
    { toolName: 'linger', status: 'interrupted' },
  ]);
  expect(home.module.get(Tools).ran.toSorted()).toEqual(['grow 1', 'linger 2']);
  expect(other.module.get(Tools).ran).toEqual([]);
});

it('a run that somebody wants cancelled does not wait again', async () => {
  const { runId } = await lost('erase 1, linger 2', async (id) => {
    await other.runner.cancel(id);
  });
  await ended(runId);
  expect((await asked(other, runId))[0]?.status).toBe('cancelled');
  const messages = await sqlOn<{ body: string }>(
    database.url,
    'select body from gatehouse.thread_message order by position',
  );
  expect(providerProblems(messages.map(({ body }) => (JSON.parse(body) as [number, ThreadMessage])[1]))).toEqual([]);
});

import { Controller, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ConfigurationError, GatehouseModule, RunController } from 'nest-gatehouse';
import { says } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, fresh, get, post, problemIn, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { decide, suspend } from './support/waiting.js';

const COLLEAGUE: Who = { user: 'bob', org: 'acme' };
const NAMESAKE: Who = { user: 'ann', org: 'other' };
const APPROVER: Who = { user: 'carl', org: 'acme', roles: 'approval.read,approval.decide,finance' };
const WATCHER: Who = { user: 'dora', org: 'acme', roles: 'approval.read,approval.decide' };

describe('who may do what over HTTP', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => desk.tools.done.splice(0));

  it('a decision over HTTP resumes the run, and its events are read from where the client stopped', async () => {
    const waiting = await suspend(desk, 'refund');
    const answer = await decide(desk, waiting, { approved: true }, ANN);
    expect(answer.status).toBe(200);
    const rest = await eventsIn(await get(desk, `runs/${waiting.runId}/events`, { headers: { 'last-event-id': '4' } }));
    expect(rest[0]?.id).toBe(5);
    expect(rest.map(({ id }) => id)).toEqual(rest.map((_, at) => at + 5));
    expect(rest.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(desk.tools.done).toEqual(['refund 7 0']);
  });

  it('the inbox shows an approval, without what only the store may know', async () => {
    const waiting = await suspend(desk, 'refund');
    const shown = (await (await get(desk, `approvals/${waiting.approvalId}`)).json()) as Record<string, unknown>;
    expect(shown).toMatchObject({
      id: waiting.approvalId,
      status: 'pending',
      args: { order: 7 },
      summary: 'Refund order 7',
      requestedBy: 'ann',
    });
    expect(shown['expiresAt']).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(
      Object.keys(shown).filter((key) =>
        ['digestKey', 'received', 'validated', 'claimToken', 'result', 'toolFingerprint'].includes(key),
      ),
    ).toEqual([]);
    const list = (await (await get(desk, `approvals?runId=${waiting.runId}&status=pending`)).json()) as {
      items: { id: string }[];
      nextCursor: null;
    };
    expect({ ids: list.items.map(({ id }) => id), next: list.nextCursor }).toEqual({
      ids: [waiting.approvalId],
      next: null,
    });
  });

  it('an approver of the organization finds and decides it; the requester who may not is told 403', async () => {
    const waiting = await suspend(desk, 'remove');
    const inbox = (await (await get(desk, 'approvals?status=pending', { who: APPROVER })).json()) as {
      items: { id: string }[];
    };
    expect(inbox.items.map(({ id }) => id)).toContain(waiting.approvalId);
    expect(await problemIn(await decide(desk, waiting, { approved: true }, ANN))).toBe('403 approval_forbidden');
    expect(await problemIn(await decide(desk, waiting, { approved: true }, WATCHER))).toBe('403 approval_forbidden');
    expect(await problemIn(await decide(desk, waiting, { approved: true }, COLLEAGUE))).toBe('404 approval_not_found');
    expect(desk.tools.done).toEqual([]);
    expect((await decide(desk, waiting, { approved: true }, APPROVER)).status).toBe(200);
    await eventsIn(await get(desk, `runs/${waiting.runId}/events`));
    expect(desk.tools.done).toEqual(['remove 7']);
  });

  it.each([
    ['a colleague', COLLEAGUE],
    ['the same id in another organization', NAMESAKE],
  ])('[364] [245] to %s the thread, run and approval of another do not exist', async (_who, who) => {
    const waiting = await suspend(desk, 'refund');
    const segment = encodeURIComponent(String(waiting.input['runId']));
    const resume = [{ interruptId: waiting.approvalId, status: 'resolved', payload: { approved: true } }];
    const answers = {
      post: await problemIn(
        await post(desk, 'runs', asks('mine now', { threadId: waiting.input['threadId'] }), { who }),
      ),
      resume: await problemIn(
        await post(desk, 'runs', { ...waiting.input, runId: fresh('segment'), messages: [], resume }, { who }),
      ),
      events: await problemIn(await get(desk, `runs/${waiting.runId}/events`, { who })),
      segment: await problemIn(await get(desk, `runs/${segment}/events`, { who })),
      run: await problemIn(await get(desk, `runs/${waiting.runId}`, { who })),
      cancel: await problemIn(await post(desk, `runs/${waiting.runId}/cancel`, {}, { who })),
      approval: await problemIn(await get(desk, `approvals/${waiting.approvalId}`, { who })),
      decision: await problemIn(await decide(desk, waiting, { approved: true }, who)),
    };
    expect(answers).toEqual({
      post: '404 thread_not_found',
      resume: '404 thread_not_found',
      events: '404 run_not_found',
      segment: '404 run_not_found',
      run: '404 run_not_found',
      cancel: '404 run_not_found',
      approval: '404 approval_not_found',
      decision: '404 approval_not_found',
    });
    const lists = await Promise.all(
      ['runs', 'approvals'].map(
        async (path) => (await (await get(desk, path, { who })).json()) as { items: unknown[] },
      ),
    );
    expect(lists.map(({ items }) => items)).toEqual([[], []]);
    expect(desk.tools.done).toEqual([]);
  });

  it('nobody is 401, on every route', async () => {
    const nobody = { who: {} };
    const answers = [
      await post(desk, 'runs', asks('x'), nobody),
      await post(desk, 'agents/desk/runs', asks('x'), nobody),
      ...(await Promise.all(
        ['runs', 'runs/x', 'runs/x/events', 'approvals', 'approvals/x', 'audit/executions'].map((path) =>
          get(desk, path, nobody),
        ),
      )),
      await post(desk, 'runs/x/cancel', {}, nobody),
      await post(desk, 'approvals/x/decision', {}, nobody),
    ];
    for (const answer of answers) expect(await problemIn(answer)).toBe('401 unauthenticated');
  });

  it('whom the policy bars cannot start, and an agent nobody declared is not there either', async () => {
    expect(await problemIn(await post(desk, 'runs', asks('x'), { who: { ...ANN, roles: 'barred' } }))).toBe(
      '404 agent_not_found',
    );
    expect(await problemIn(await post(desk, 'agents/nobody/runs', asks('x')))).toBe('404 agent_not_found');
    desk.play([[says('hi')]]);
    expect((await eventsIn(await post(desk, 'agents/desk/runs', asks('x')))).at(-1)?.event.type).toBe('RUN_FINISHED');
  });
});

it('a controller that is mounted without an AccessPolicy fails at boot, and says what to do', async () => {
  @Controller('open')
  class Open extends RunController {}
  @Module({ imports: [GatehouseModule.forRoot({ guard: { enabled: true } })], controllers: [Open] })
  class OpenModule {}
  const app = (await Test.createTestingModule({ imports: [OpenModule] }).compile()).createNestApplication({
    logger: false,
  });
  const boot = app.init();
  await expect(boot).rejects.toBeInstanceOf(ConfigurationError);
  await expect(boot).rejects.toThrow(/^Open is mounted, but no AccessPolicy is provided/);
  await app.close().catch(() => undefined);
});

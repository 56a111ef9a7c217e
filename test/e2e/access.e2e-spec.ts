import { Controller, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { ConfigurationError, GatehouseModule, RunController } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ANN, asks, eventsIn, fresh, get, post, problemIn, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';

const COLLEAGUE: Who = { user: 'bob', org: 'acme' };
const NAMESAKE: Who = { user: 'ann', org: 'other' };
const APPROVER: Who = { user: 'carl', org: 'acme', roles: 'approval.read,approval.decide,finance' };
const WATCHER: Who = { user: 'dora', org: 'acme', roles: 'approval.read,approval.decide' };
const AUDITOR: Who = { user: 'eve', org: 'acme', roles: 'audit.read' };

interface Waiting {
  readonly input: Record<string, unknown>;
  readonly runId: string;
  readonly approvalId: string;
  readonly digest: string;
}

describe('who may do what over HTTP', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => desk.tools.done.splice(0));

  const suspend = async (tool: string, who: Who = ANN): Promise<Waiting> => {
    desk.play([[call(tool, { order: 7 })], [says('Done.')]]);
    const input = asks('go');
    const response = await post(desk, 'runs', input, { who });
    const outcome = (await eventsIn(response)).at(-1)?.event['outcome'] as {
      interrupts: { id: string; metadata: { gatehouse: { argumentsDigest: string } } }[];
    };
    const [interrupt] = outcome.interrupts;
    return {
      input,
      runId: response.headers.get('gatehouse-run-id') ?? '',
      approvalId: interrupt?.id ?? '',
      digest: interrupt?.metadata.gatehouse.argumentsDigest ?? '',
    };
  };
  const decide = (waiting: Waiting, body: object, who: Who) =>
    post(desk, `approvals/${waiting.approvalId}/decision`, { argumentsDigest: waiting.digest, ...body }, { who });

  it('a decision over HTTP resumes the run, and its events are read from where the client stopped', async () => {
    const waiting = await suspend('refund');
    const answer = await decide(waiting, { approved: true }, ANN);
    expect(answer.status).toBe(200);
    const rest = await eventsIn(await get(desk, `runs/${waiting.runId}/events`, { headers: { 'last-event-id': '4' } }));
    expect(rest[0]?.id).toBe(5);
    expect(rest.map(({ id }) => id)).toEqual(rest.map((_, at) => at + 5));
    expect(rest.at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(desk.tools.done).toEqual(['refund 7 0']);
  });

  it('the inbox shows an approval, without what only the store may know', async () => {
    const waiting = await suspend('refund');
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
    const waiting = await suspend('remove');
    const inbox = (await (await get(desk, 'approvals?status=pending', { who: APPROVER })).json()) as {
      items: { id: string }[];
    };
    expect(inbox.items.map(({ id }) => id)).toContain(waiting.approvalId);
    expect(await problemIn(await decide(waiting, { approved: true }, ANN))).toBe('403 approval_forbidden');
    expect(await problemIn(await decide(waiting, { approved: true }, WATCHER))).toBe('403 approval_forbidden');
    expect(await problemIn(await decide(waiting, { approved: true }, COLLEAGUE))).toBe('404 approval_not_found');
    expect(desk.tools.done).toEqual([]);
    expect((await decide(waiting, { approved: true }, APPROVER)).status).toBe(200);
    await eventsIn(await get(desk, `runs/${waiting.runId}/events`));
    expect(desk.tools.done).toEqual(['remove 7']);
  });

  it.each([
    ['a colleague', COLLEAGUE],
    ['the same id in another organization', NAMESAKE],
  ])('[364] [245] to %s the thread, run and approval of another do not exist', async (_who, who) => {
    const waiting = await suspend('refund');
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
      decision: await problemIn(await decide(waiting, { approved: true }, who)),
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

  describe('[366] what a state change must look like', () => {
    it.each([
      [
        'a form',
        { 'content-type': 'application/x-www-form-urlencoded' },
        'approved=true',
        '415 unsupported_media_type',
      ],
      ['plain text', { 'content-type': 'text/plain' }, '{"approved":true}', '415 unsupported_media_type'],
      ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }, '{"approved":true}', '403 cross_site'],
    ])('%s is refused on every route', async (_what, headers, body, expected) => {
      const waiting = await suspend('refund');
      for (const path of [
        'runs',
        'agents/desk/runs',
        `runs/${waiting.runId}/cancel`,
        `approvals/${waiting.approvalId}/decision`,
      ]) {
        expect(await problemIn(await post(desk, path, body, { headers }))).toBe(expected);
      }
      expect(await (await get(desk, `approvals/${waiting.approvalId}`)).json()).toMatchObject({ status: 'pending' });
    });

    it.each([
      [{ approved: 'false' }, '400 invalid_request'],
      [{ approved: 1 }, '400 invalid_request'],
      [{}, '400 invalid_request'],
      [{ approved: true, argumentsDigest: undefined }, '400 invalid_request'],
      [{ approved: true, argumentsDigest: '' }, '400 invalid_request'],
      [{ approved: true, argumentsDigest: 'another' }, '409 approval_conflict'],
      [{ approved: true, reason: 7 }, '400 invalid_request'],
      [{ approved: true, editedArgs: [] }, '400 invalid_request'],
      [{ approved: true, editedArgs: { order: 8 } }, '422 approval_invalid'],
    ])('the decision %j is %s, and nothing is decided', async (body, expected) => {
      const waiting = await suspend('refund');
      expect(await problemIn(await decide(waiting, body, ANN))).toBe(expected);
      expect(await (await get(desk, `approvals/${waiting.approvalId}`)).json()).toMatchObject({ status: 'pending' });
    });

    it('the same word twice is one; another is a conflict', async () => {
      const waiting = await suspend('refund');
      expect((await decide(waiting, { approved: false, reason: 'no' }, ANN)).status).toBe(200);
      expect((await decide(waiting, { approved: false, reason: 'no' }, ANN)).status).toBe(200);
      expect(await problemIn(await decide(waiting, { approved: true }, ANN))).toBe('409 approval_conflict');
    });

    it('a body that is no JSON is 400, one that is too large 413', async () => {
      expect(await problemIn(await post(desk, 'runs', '{"a":'))).toBe('400 bad_request');
      expect(await problemIn(await post(desk, 'runs', '[]'))).toBe('400 invalid_request');
      const large = JSON.stringify(asks('x'.repeat(4 * 1024 * 1024)));
      expect(await problemIn(await post(desk, 'runs', large))).toBe('413 payload_too_large');
    });

    it('a runId of the client names one segment only, and 409 says so', async () => {
      desk.play([[says('one')], [says('two')]]);
      const input = asks('x');
      await eventsIn(await post(desk, 'runs', input));
      expect(await problemIn(await post(desk, 'runs', { ...asks('y'), runId: input['runId'] }))).toBe(
        '409 run_conflict',
      );
    });
  });

  it('lists and filters are validated', async () => {
    for (const path of [
      'runs?limit=0',
      'runs?limit=x',
      'runs?cursor=x',
      'runs?status=odd',
      'runs?nope=1',
      'approvals?status=odd',
      'runs/x/events?lastEventId=x',
    ]) {
      expect([path, await problemIn(await get(desk, path))]).toEqual([
        path,
        path.startsWith('runs/x') ? '404 run_not_found' : '400 invalid_request',
      ]);
    }
    for (const path of [
      'audit/executions?success=yes',
      'audit/operations?from=yesterday',
      'audit/terminals?status=running',
    ]) {
      expect([path, await problemIn(await get(desk, path, { who: AUDITOR }))]).toEqual([path, '400 invalid_request']);
    }
  });

  it('runs are listed newest first with a cursor, and one is read with its timeline', async () => {
    const who = { user: fresh('lister'), org: 'acme' };
    desk.play([[says('hi')]]);
    const ids: string[] = [];
    for (let at = 0; at < 3; at += 1) {
      desk.play([[says('hi')]]);
      const response = await post(desk, 'runs', asks('x'), { who });
      await eventsIn(response);
      ids.unshift(response.headers.get('gatehouse-run-id') ?? '');
    }
    const first = (await (await get(desk, 'runs?limit=2', { who })).json()) as {
      items: { id: string }[];
      nextCursor: string;
    };
    const second = (await (await get(desk, `runs?limit=2&cursor=${first.nextCursor}`, { who })).json()) as typeof first;
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(second.nextCursor).toBe(null);
    const run = (await (await get(desk, `runs/${ids[0]}`, { who })).json()) as Record<string, unknown>;
    expect(run).toMatchObject({
      id: ids[0],
      status: 'completed',
      agent: 'desk',
      principalId: who.user,
      organizationId: 'acme',
    });
    expect(
      Object.keys(run).filter((key) => ['digestKey', 'state', 'owner', 'epoch', 'instructions'].includes(key)),
    ).toEqual([]);
    expect((run['timeline'] as { kind: string }[]).map(({ kind }) => kind)).toEqual(['run.started', 'run.terminal']);
  });

  it('evidence is for whom the policy says, and never for a thread owner', async () => {
    const waiting = await suspend('refund');
    const kinds = ['executions', 'operations', 'approvals', 'terminals'];
    for (const kind of kinds)
      expect(await problemIn(await get(desk, `audit/${kind}?runId=${waiting.runId}`))).toBe('404 audit_not_found');
    const approvals = (await (await get(desk, `audit/approvals?runId=${waiting.runId}`, { who: AUDITOR })).json()) as {
      items: { id: string }[];
    };
    expect(approvals.items.map(({ id }) => id)).toEqual([waiting.approvalId]);
    expect(await problemIn(await get(desk, 'audit/executions?organizationId=other', { who: AUDITOR }))).toBe(
      '404 audit_not_found',
    );
    const timeline = (await (await get(desk, `audit/timeline/${waiting.runId}`, { who: AUDITOR })).json()) as {
      items: { kind: string }[];
    };
    expect(timeline.items[0]?.kind).toBe('run.started');
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

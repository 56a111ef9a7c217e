import { says } from 'nest-gatehouse/testing';

import { asks, eventsIn, fresh, get, post, problemIn, type Who } from './support/client.js';
import { openDesk, type Desk } from './support/desk.app.js';
import { suspend } from './support/waiting.js';

const AUDITOR: Who = { user: 'eve', org: 'acme', roles: 'audit.read' };

describe('what is listed over HTTP', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk()));
  afterAll(() => desk.close());
  beforeEach(() => desk.tools.done.splice(0));

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
    const waiting = await suspend(desk, 'refund');
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

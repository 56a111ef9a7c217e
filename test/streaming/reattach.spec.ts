import { call, says } from 'nest-gatehouse/testing';

import {
  ANN,
  asks,
  eventsIn,
  fresh,
  get,
  jsonIn,
  post,
  problemIn,
  runIdOf,
  statusOf,
  typesOf,
} from '../e2e/support/client.js';
import { openDesk, type Desk } from '../e2e/support/desk.app.js';
import { thinks4ever, visit } from '../e2e/support/visit.js';

describe('a client that attaches again', () => {
  let desk: Desk;
  /** A run of three segments that has ended, and one that goes on. */
  let runId: string;
  let live: string;
  let last: number;
  beforeAll(async () => {
    desk = await openDesk({ streaming: { onDisconnect: 'continue' } });
    desk.play([[says('Hello.')]]);
    const response = await post(desk, 'runs', asks('go'));
    runId = response.headers.get('gatehouse-run-id') ?? '';
    last = (await eventsIn(response)).at(-1)?.id ?? 0;
    desk.play([thinks4ever]);
    const visiting = visit(desk);
    live = (await visiting.response).headers.get('gatehouse-run-id') ?? '';
    await visiting.seen('RUN_STARTED');
    visiting.leave();
  });
  afterAll(() => desk.close());

  const byHeader = (id: string, run = runId) => get(desk, `runs/${run}/events`, { headers: { 'last-event-id': id } });
  const byQuery = (id: string, run = runId) => get(desk, `runs/${run}/events?lastEventId=${encodeURIComponent(id)}`);

  it.each([
    ['that is no number', 'abc'],
    ['that is negative', '-1'],
    ['that is a fraction of ours no longer', '1.'],
    ['of another server', '0199c0de-7000-7000-8000-000000000000:7'],
    ['from the future', '999999'],
    ['longer than any of ours', '9'.repeat(30)],
  ])(
    'with an id %s is told so, by header and by parameter, of a run that has ended and of one that goes on',
    async (_what, id) => {
      for (const run of [runId, live]) {
        for (const ask of [byHeader, byQuery]) expect(await problemIn(await ask(id, run))).toBe('400 unknown_event_id');
      }
    },
  );

  it('with the parameter twice is told so', async () => {
    const response = await get(desk, `runs/${runId}/events?lastEventId=1&lastEventId=2`);
    expect(await problemIn(response)).toBe('400 unknown_event_id');
  });

  it('with an id of another, longer run is told so: its own run has no such event', async () => {
    expect(await problemIn(await byHeader(String(last), live))).toBe('400 unknown_event_id');
  });

  it('with an empty id, header or parameter, gets the run from its beginning', async () => {
    const whole = await eventsIn(await get(desk, `runs/${runId}/events`));
    expect(whole.map(({ id }) => id)).toEqual(Array.from({ length: last }, (_, at) => at + 1));
    expect(await eventsIn(await byQuery(''))).toEqual(whole);
    expect(await eventsIn(await byHeader(''))).toEqual(whole);
    expect(await eventsIn(await byHeader('0'))).toEqual(whole);
  });

  it('with the header and the parameter goes on behind the header, which its browser keeps current', async () => {
    const response = await get(desk, `runs/${runId}/events?lastEventId=1`, { headers: { 'last-event-id': '3' } });
    expect((await eventsIn(response))[0]?.id).toBe(4);
  });

  it('that has everything of an ended run is told to stop asking: 204', async () => {
    for (const ask of [byHeader, byQuery]) {
      const response = await ask(String(last));
      expect([response.status, await response.text()]).toEqual([204, '']);
    }
  });

  it('of another organization sees nothing, whatever the id: replay does not cross tenants', async () => {
    const who = { user: 'eve', org: 'other' };
    const response = await get(desk, `runs/${runId}/events`, { who, headers: { 'last-event-id': '1' } });
    expect(await problemIn(response)).toBe('404 run_not_found');
  });

  it("by the client's own name of a segment goes on behind the id of the parameter, within that segment (athrvk/vayu#21)", async () => {
    desk.play([[call('refund', { order: 1 })], [says('done')]]);
    const input = asks('go');
    const first = await eventsIn(await post(desk, 'runs', input));
    const response = await get(desk, `runs/${String(input['runId'])}/events?lastEventId=2`);
    expect(await eventsIn(response)).toEqual(first.slice(2));
  });

  it('with an id behind a point, as chat streams have, gets whole what comes behind that frame', async () => {
    const whole = await eventsIn(await get(desk, `runs/${runId}/events`));
    for (const id of ['2.1', '2.999']) expect(await eventsIn(await byHeader(id))).toEqual(whole.slice(2));
    expect(await eventsIn(await byHeader('0.1'))).toEqual(whole);
  });

  it("by the client's own names of two segments gets each whole or the rest of it, and 204 once it has it", async () => {
    desk.play([[call('refund', { order: 4 })], [says('done')]]);
    const input = asks('go');
    const first = await eventsIn(await post(desk, 'runs', input));
    const paused = await runIdOf(desk, input);
    const resuming = asks('', { threadId: input['threadId'], messages: [], resume: [await approvalIn(desk, paused)] });
    const second = await eventsIn(await post(desk, 'runs', resuming));
    const of = async (named: Record<string, unknown>, last: number) => {
      const response = await get(desk, `runs/${String(named['runId'])}/events?lastEventId=${last}`);
      return response.status === 200 ? eventsIn(response) : response.status;
    };
    const border = first.length;
    expect([second[0]?.id, typesOf(second)[0]]).toEqual([border + 1, 'RUN_STARTED']);
    // A resumed segment whose answer broke before its first event: its client has the end of the one before.
    expect(await of(resuming, border)).toEqual(second);
    expect(await of(resuming, border - 1)).toEqual(second);
    expect(await of(resuming, border + 2)).toEqual(second.slice(2));
    expect(await of(resuming, border + second.length)).toBe(204);
    expect(await of(input, border - 1)).toEqual(first.slice(-1));
    for (const last of [border, border + 1, border + second.length]) expect(await of(input, last)).toBe(204);
  });

  it('while the run waits for a person hears on when it goes on, in the same stream', async () => {
    desk.play([[call('refund', { order: 2 })], [says('done')]]);
    const input = asks('go');
    const first = await eventsIn(await post(desk, 'runs', input));
    const waiting = await runIdOf(desk, input);
    const following = await byHeader(String(first.at(-1)?.id), waiting);
    const [approval] = (
      await jsonIn<{ items: { id: string; argumentsDigest: string }[] }>(get(desk, `approvals?runId=${waiting}`))
    ).items;
    const { id = '', argumentsDigest } = approval ?? {};
    await post(desk, `approvals/${id}/decision`, { approved: true, argumentsDigest });
    const rest = await eventsIn(following);
    expect([typesOf(rest)[0], typesOf(rest).at(-1), rest[0]?.id]).toEqual([
      'RUN_STARTED',
      'RUN_FINISHED',
      first.length + 1,
    ]);
  });
});

/** The one approval that a run waits for, answered with yes. */
async function approvalIn(desk: Desk, runId: string): Promise<object> {
  const { items } = await jsonIn<{ items: { id: string }[] }>(get(desk, `approvals?runId=${runId}`));
  return { interruptId: items[0]?.id, status: 'resolved', payload: { approved: true } };
}

describe('the events of a run that ended long ago', () => {
  it('are gone: a reader is told, in every protocol, and the record is still there', async () => {
    const desk = await openDesk({ runs: { keepEvents: 40 } });
    try {
      desk.play([[says('Hello.')]]);
      const threadId = fresh('chat');
      const response = await post(desk, 'runs', asks('go', { threadId }));
      const runId = response.headers.get('gatehouse-run-id') ?? '';
      const last = (await eventsIn(response)).at(-1)?.id ?? 0;
      const events = (query = '') => get(desk, `runs/${runId}/events${query}`);
      while ((await events()).status === 200) await new Promise(setImmediate);
      expect(await problemIn(await events())).toBe('410 events_expired');
      expect(await problemIn(await events('?lastEventId=1'))).toBe('410 events_expired');
      expect(await problemIn(await events(`?lastEventId=${last + 1}`))).toBe('400 unknown_event_id');
      // Who has everything misses nothing.
      expect((await events(`?lastEventId=${last}`)).status).toBe(204);
      expect((await get(desk, `chat/${threadId}/stream`)).status).toBe(204);
      expect(await statusOf(desk, runId)).toBe('completed');
      const audit = { who: { ...ANN, roles: 'audit.read' } };
      const { items } = await jsonIn<{ items: object[] }>(get(desk, `audit/terminals?runId=${runId}`, audit));
      expect(items).toMatchObject([{ status: 'completed' }]);
    } finally {
      await desk.close();
    }
  });

  it('stay while it goes on or waits', async () => {
    const desk = await openDesk({ runs: { keepEvents: 20 } });
    try {
      desk.play([[call('refund', { order: 1 })]]);
      const input = asks('go');
      const first = await eventsIn(await post(desk, 'runs', input));
      desk.play([[says('Hello.')]]);
      const other = (await post(desk, 'runs', asks('go'))).headers.get('gatehouse-run-id') ?? '';
      while ((await get(desk, `runs/${other}/events`)).status !== 410) await new Promise(setImmediate);
      expect(await eventsIn(await get(desk, `runs/${String(input['runId'])}/events?lastEventId=0`))).toEqual(first);
    } finally {
      await desk.close();
    }
  });
});

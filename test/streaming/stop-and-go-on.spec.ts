import { says } from 'nest-gatehouse/testing';

import { asks, eventsIn, fresh, post, runIdOf, statusOf } from '../e2e/support/client.js';
import type { Desk } from '../e2e/support/desk.app.js';
import { Gate } from '../e2e/support/gate.js';
import { visit } from '../e2e/support/visit.js';
import { Replicas } from './support/replicas.js';

describe('an answer that is stopped, and something else said at once at another replica', () => {
  let replicas: Replicas;
  let here: Desk;
  let there: Desk;
  beforeEach(async () => {
    replicas = await Replicas.open();
    here = await replicas.replica();
    there = await replicas.replica();
  });
  afterEach(() => replicas.close());

  it.each([
    ['by leaving', (leave: () => void) => Promise.resolve(leave())],
    ['by cancelling it there', (_: () => void, runId: string) => post(there, `runs/${runId}/cancel`, {})],
    ['by cancelling it where it runs', (_: () => void, runId: string) => void post(here, `runs/${runId}/cancel`, {})],
  ])('%s: waits for the end of the first, and is answered', async (_how, stop) => {
    const stubborn = new Gate();
    here.play([
      async () => {
        await stubborn.pass();
        return [says('too late')];
      },
    ]);
    there.play([[says('Of course.')]]);
    const input = asks('go', { threadId: fresh('stopped') });
    const first = visit(here, input);
    await stubborn.reached();
    const runId = await runIdOf(here, input);
    await stop(() => first.leave(), runId);
    while ((await replicas.look(runId)).cancel_source === null);
    const second = post(there, 'runs', asks('something else', { threadId: input['threadId'] }));
    while (there.busy() === 0) await new Promise(setImmediate);
    expect(await statusOf(here, runId)).toBe('running');
    stubborn.open();
    const events = await eventsIn(await second);
    expect(events.at(-1)?.event).toMatchObject({ outcome: { type: 'success' } });
    expect(await statusOf(there, runId)).toBe('cancelled');
  });
});

import { connect, type Socket } from 'node:net';

import { RunStreams, type RunContext } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import type { Desk } from '../e2e/support/desk.app.js';
import { internal } from '../e2e/support/store.js';
import { nobodyThere, oneStream } from '../e2e/support/visit.js';
import {
  approved,
  begun,
  CANCELLED,
  COMPLETED,
  reading,
  readToItsEnd,
  Replicas,
  VIEWER,
  waitingFor,
} from './support/replicas.js';

const SLOW = [[call('slow', { order: 1 })], [says('done')]];

/** Under `onDisconnect: 'cancel'`, the default. `here` drives the runs. */
describe('a reader that the server cuts off, or that has read all, ends no run', () => {
  let replicas: Replicas;
  beforeEach(async () => (replicas = await Replicas.open()));
  afterEach(() => replicas.close());

  const completes = async (here: Desk, runId: string): Promise<void> => {
    here.tools.slowly.open();
    expect(await replicas.endOf(runId, here)).toEqual(COMPLETED);
  };
  const EXPIRED = { type: 'RUN_ERROR', code: 'stream_expired' };

  it('[3] an earlier segment was read to its end on another replica, while the run goes on with nobody attached', async () => {
    const [here, there] = [await replicas.replica(), await replicas.replica()];
    here.play([[call('refund', { order: 1 })], ...SLOW]);
    const runId = await waitingFor(here, 'first');
    await approved(here, runId);
    const events = await readToItsEnd(there, 'first');
    expect((await events()).at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    await nobodyThere(there);
    await replicas.goesOn(runId);
    await completes(here, runId);
  }, 60_000);

  it('[3] the same on the replica that drives it, and on two others at once', async () => {
    const desks = [await replicas.replica(), await replicas.replica(), await replicas.replica()];
    const [here = desks[0]] = desks;
    if (here === undefined) throw new Error('No replica is open.');
    here.play([[call('refund', { order: 1 })], ...SLOW]);
    const runId = await waitingFor(here, 'first');
    await approved(here, runId);
    const reads = await Promise.all(desks.map((desk) => readToItsEnd(desk, 'first')));
    for (const events of reads) expect((await events()).length).toBeGreaterThan(0);
    await replicas.goesOn(runId);
    await completes(here, runId);
  }, 60_000);

  it('[5] the last stream ended for its age, after the client that started the run had left; come back, its leaving ends the run', async () => {
    const here = await replicas.replica({ maxAge: 1_500 });
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    const events = await readToItsEnd(here, runId);
    owner.leave();
    expect((await events()).at(-1)?.event).toMatchObject(EXPIRED);
    await nobodyThere(here);
    await replicas.goesOn(runId);
    (await reading(here, runId)).leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('[5] the last stream was dropped because its client took nothing any more', async () => {
    const here = await replicas.replica({ heartbeat: 500 });
    const speech = (run: RunContext) => {
      run.emit({ type: 'text.start', messageId: 'm' });
      run.emit({ type: 'text.delta', messageId: 'm', delta: 'x'.repeat(20_000_000) });
      run.emit({ type: 'text.end', messageId: 'm' });
      return [call('slow', { order: 1 })];
    };
    here.play([[call('slow', { order: 1 })], speech, [says('done')]]);
    const { owner, runId } = await begun(here);
    const client = silent(here, runId);
    while (here.get(RunStreams).count < 2) await new Promise(setImmediate);
    owner.leave();
    await oneStream(here);
    const { slowly } = here.tools;
    here.tools.hold();
    slowly.open();
    await here.tools.slowly.reached();
    await nobodyThere(here);
    await replicas.goesOn(runId);
    client.destroy();
    await completes(here, runId);
  }, 60_000);

  it.each([
    ['an owner', undefined],
    ['somebody who may read', VIEWER],
  ])(
    '[5] %s was cut off on another replica, after the client that started the run had left here',
    async (_who, who) => {
      const [here, there] = [await replicas.replica(), await replicas.replica({ maxAge: 1_500 })];
      here.play(SLOW);
      const { owner, runId } = await begun(here);
      const events = await readToItsEnd(there, runId, who);
      owner.leave();
      await nobodyThere(here);
      expect((await events()).at(-1)?.event).toMatchObject(EXPIRED);
      await nobodyThere(there);
      await replicas.goesOn(runId);
      (await reading(there, runId)).leave();
      expect(await replicas.endOf(runId)).toEqual(CANCELLED);
    },
    60_000,
  );

  it('[5] both on another replica than the one that drives the run', async () => {
    const [here, there] = [await replicas.replica(), await replicas.replica({ maxAge: 1_500 })];
    here.play([[call('refund', { order: 1 })], ...SLOW]);
    const runId = await waitingFor(here, 'first');
    await approved(here, runId);
    const owner = await reading(there, runId);
    const events = await readToItsEnd(there, runId);
    owner.leave();
    expect((await events()).at(-1)?.event).toMatchObject(EXPIRED);
    await replicas.goesOn(runId);
    await completes(here, runId);
  }, 60_000);

  it('an owner who was cut off while somebody else reads on has not left: when that one leaves, the run goes on', async () => {
    const here = await replicas.replica({ maxAge: 1_500 });
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    const events = await readToItsEnd(here, runId);
    owner.leave();
    await replicas.renewed(runId);
    const viewer = await reading(here, runId, VIEWER);
    expect((await events()).at(-1)?.event).toMatchObject(EXPIRED);
    viewer.leave();
    await nobodyThere(here);
    await replicas.goesOn(runId);
    (await reading(here, runId)).leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('[7] one replica closes while a client of another one reads: that one counts, also for an owner who leaves at once', async () => {
    // A renewal every two seconds: the owner leaves before the next one.
    const replica = () => replicas.replica({}, '16s');
    const [here, second, third] = [await replica(), await replica(), await replica()];
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    const reader = await reading(third, runId);
    const events = await readToItsEnd(second, runId);
    await replicas.closeOne(second);
    expect((await events()).at(-1)?.event).toMatchObject({ type: 'RUN_ERROR', code: 'shutting_down' });
    owner.leave();
    await nobodyThere(here);
    await replicas.notedAgain(runId);
    await replicas.notedAgain(runId);
    expect((await replicas.look(runId)).status).toBe('running');
    reader.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('[7] every replica closes that had readers: nobody has left, until the owner does', async () => {
    const [here, second, third] = [await replicas.replica(), await replicas.replica(), await replicas.replica()];
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    await readToItsEnd(second, runId);
    await readToItsEnd(third, runId, VIEWER);
    await replicas.closeOne(second);
    await replicas.closeOne(third);
    await replicas.goesOn(runId);
    owner.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('a cut that could not be noted, for the store was away, is noted a little later', async () => {
    const [here, there] = [await replicas.replica(), await replicas.replica({ maxAge: 500 })];
    here.play([[call('refund', { order: 1 })], ...SLOW]);
    const runId = await waitingFor(here, 'first');
    await approved(here, runId);
    const store = internal(there, 'RunStore') as Record<'unwatch', (...args: unknown[]) => Promise<void>>;
    const { unwatch } = store;
    const failed: unknown[] = [];
    store.unwatch = async (...args) => {
      store.unwatch = unwatch;
      failed.push(args[1]);
      throw new Error('away');
    };
    const events = await readToItsEnd(there, runId);
    expect((await events()).at(-1)?.event).toMatchObject(EXPIRED);
    await nobodyThere(there);
    await replicas.goesOn(runId);
    expect(failed).toEqual(['cut']);
    await completes(here, runId);
  }, 60_000);

  /** A client that asks for a run's events and takes nothing. */
  function silent(desk: Desk, runId: string): Socket {
    const { hostname, port } = new URL(desk.url);
    const socket = connect(Number(port), hostname).pause();
    socket.on('error', () => undefined);
    socket.write(`GET /agent/runs/${runId}/events HTTP/1.1\r\nhost: localhost\r\nx-user: ann\r\nx-org: acme\r\n\r\n`);
    return socket;
  }
});

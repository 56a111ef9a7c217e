import { call, says } from 'nest-gatehouse/testing';

import { statusOf } from '../e2e/support/client.js';
import type { Desk } from '../e2e/support/desk.app.js';
import { nobodyThere } from '../e2e/support/visit.js';
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
const REFUND = [call('refund', { order: 1 })];

/** Under `onDisconnect: 'cancel'`, the default. `here` drives the runs. */
describe('an owner who leaves ends the run once nobody reads it, on whichever replica', () => {
  let replicas: Replicas;
  let here: Desk;
  let there: Desk;
  beforeEach(async () => {
    replicas = await Replicas.open();
    here = await replicas.replica();
    there = await replicas.replica();
  });
  afterEach(() => replicas.close());

  const completes = async (runId: string): Promise<void> => {
    here.tools.slowly.open();
    expect(await replicas.endOf(runId)).toEqual(COMPLETED);
  };

  /** A run that goes on here, in its second segment, with nobody attached. */
  const unattended = async (): Promise<string> => {
    here.play([REFUND, ...SLOW]);
    const runId = await waitingFor(here, 'first');
    await approved(here, runId);
    return runId;
  };

  it('left where the run is driven, while somebody who may read does so elsewhere: it ends with that one', async () => {
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    const viewer = await reading(there, runId, VIEWER);
    owner.leave();
    await nobodyThere(here);
    await replicas.goesOn(runId);
    viewer.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('left elsewhere, while somebody who may read does so on a third replica: it ends with that one', async () => {
    const third = await replicas.replica();
    const runId = await unattended();
    const owner = await reading(there, runId);
    const viewer = await reading(third, runId, VIEWER);
    owner.leave();
    await nobodyThere(there);
    await replicas.goesOn(runId);
    viewer.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it.each([
    ['the owner', undefined],
    ['somebody who may read', VIEWER],
  ])(
    'left elsewhere, while %s reads where the run is driven: it ends with that one',
    async (_who, who) => {
      const runId = await unattended();
      const reader = await reading(here, runId, who);
      const owner = await reading(there, runId);
      owner.leave();
      await nobodyThere(there);
      await replicas.goesOn(runId);
      reader.leave();
      expect(await replicas.endOf(runId)).toEqual(CANCELLED);
    },
    60_000,
  );

  it('left elsewhere, while who started it reads where the run is driven: it ends with that one', async () => {
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    const second = await reading(there, runId);
    second.leave();
    await nobodyThere(there);
    await replicas.goesOn(runId);
    owner.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('left here, come back elsewhere, read an earlier segment to its end, then the rest: it ends when that is left', async () => {
    const runId = await unattended();
    const owner = await reading(here, runId);
    const again = await reading(there, runId);
    owner.leave();
    await nobodyThere(here);
    await (
      await readToItsEnd(there, 'first')
    )();
    await replicas.goesOn(runId);
    again.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('come back where it was left, while it waited for a reader elsewhere to end: that one may end', async () => {
    here.play(SLOW);
    const { owner, runId } = await begun(here);
    const viewer = await reading(there, runId, VIEWER);
    owner.leave();
    await nobodyThere(here);
    const back = await reading(here, runId);
    viewer.leave();
    await nobodyThere(there);
    await replicas.goesOn(runId);
    back.leave();
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);

  it('somebody who may merely read ends nothing by leaving, on any replica', async () => {
    const runId = await unattended();
    const viewers = await Promise.all([reading(here, runId, VIEWER), reading(there, runId, VIEWER)]);
    for (const viewer of viewers) viewer.leave();
    await Promise.all([nobodyThere(here), nobodyThere(there)]);
    await replicas.goesOn(runId);
    await completes(runId);
  }, 60_000);

  it('left in an earlier segment: what was resumed since, with nobody attached, is not ended by that', async () => {
    here.play([REFUND, [call('slow', { order: 1 })], REFUND, ...SLOW]);
    const runId = await waitingFor(here, 'first');
    await approved(here, runId);
    const third = await replicas.replica();
    const owner = await reading(there, runId);
    const viewer = await reading(third, runId, VIEWER);
    owner.leave();
    await nobodyThere(there);
    await replicas.goesOn(runId);
    const { slowly } = here.tools;
    here.tools.hold();
    slowly.open();
    while ((await replicas.look(runId)).status !== 'suspended');
    await approved(here, runId);
    await replicas.notedAgain(runId);
    viewer.leave();
    await nobodyThere(third);
    await replicas.goesOn(runId);
    await completes(runId);
  }, 60_000);

  it('a replica that dies with its readers says nothing: its silence ends the run, unless somebody reads elsewhere', async () => {
    const runId = await unattended();
    const reader = await reading(here, runId, VIEWER);
    await replicas.watchedByTheDead(runId);
    await replicas.goesOn(runId);
    reader.leave();
    await nobodyThere(here);
    expect(await statusOf(there, runId)).toBe('running');
    await replicas.watchedByTheDead(runId);
    expect(await replicas.endOf(runId)).toEqual(CANCELLED);
  }, 60_000);
});

import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anOperation, aStep, counters, progress, textFrames } from './store.samples.js';
import { fenceOf, running } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeSteps(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('writing a run', () => {
    it('appends frames in order and remembers the last', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      await store.appendFrames(fenceOf(run), textFrames(2, 3));
      await store.appendFrames(fenceOf(run), textFrames(4));
      expect((await reader.frames(run.id, 1, 10)).frames.map(({ seq }) => seq)).toEqual([2, 3, 4]);
      expect((await reader.frames(run.id, 2, 1)).frames).toEqual(textFrames(3));
      expect((await reader.run(run.id))?.lastSeq).toBe(4);
    });

    it('reads events in bites, however large they are, and says where there may be more', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const large = (seq: number) =>
        ({ seq, event: { type: 'custom', name: 'x', value: 'é'.repeat(100_000) } }) as const;
      await store.appendFrames(fenceOf(run), [large(2), large(3), large(4), ...textFrames(5)]);
      const bites: number[][] = [];
      for (let after = 1, more = true; more;) {
        const read = await reader.frames(run.id, after, 10);
        bites.push(read.frames.map(({ seq }) => seq));
        after = read.frames.at(-1)?.seq ?? after;
        more = read.more;
      }
      expect(bites).toEqual([
        [2, 3],
        [4, 5],
      ]);
      expect(await reader.frames(run.id, 5, 10)).toEqual({ frames: [], more: false });
    });

    it('takes the same frames again as the same, and other ones with their numbers as a mistake', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      await store.appendFrames(fenceOf(run), textFrames(2, 3));
      await store.appendFrames(fenceOf(run), textFrames(2, 3, 4));
      const other = { seq: 3, event: { type: 'step.started', step: 1 } } as const;
      await expect(store.appendFrames(fenceOf(run), [...textFrames(5), other])).rejects.toThrow(RangeError);
      expect((await reader.frames(run.id, 1, 10)).frames).toEqual(textFrames(2, 3, 4));
    });

    it('stores a step before it starts and, repeated, keeps what is there', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const step = aStep(run);
      await store.startStep(fenceOf(run), step, counters(1), textFrames(2));
      await store.startStep(fenceOf(run), step, counters(1), textFrames(2));
      expect(await reader.lastStep(run.id)).toEqual(step);
      expect(await reader.run(run.id)).toMatchObject({
        step: 1,
        lastSeq: 2,
        counters: counters(1),
        state: { seen: 1 },
      });
    });

    it('settles a step with its messages, operations, state and counters, once', async () => {
      const { store, reader, evidence } = opened();
      const run = await running(opened());
      const step = aStep(run);
      await store.startStep(fenceOf(run), step, counters(1), []);
      const settled = { ...step, operations: step.operations.map((one) => ({ ...one, validated: '{"order":1}' })) };
      const changes = progress(settled, { operations: [anOperation(run)], counters: counters(3) });
      await store.settleStep(fenceOf(run), changes, textFrames(2));
      await store.settleStep(fenceOf(run), changes, textFrames(2));
      expect(await reader.lastStep(run.id)).toEqual(settled);
      expect(await reader.messages(run.threadId)).toEqual(changes.messages);
      expect((await evidence.operations({ runId: run.id })).items).toEqual(changes.operations);
      expect(await reader.run(run.id)).toMatchObject({ state: { seen: 2 }, counters: counters(3), lastSeq: 2 });
    });

    it('keeps two messages that share an id but not their words', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const said = (text: string) => ({ id: 'm1', role: 'assistant', text, calls: [] }) as const;
      await store.settleStep(fenceOf(run), progress(aStep(run), { messages: [said('one'), said('two')] }), []);
      await store.settleStep(fenceOf(run), progress(aStep(run, 2), { messages: [said('three')] }), []);
      expect(await reader.messages(run.threadId)).toEqual([said('one'), said('two'), said('three')]);
    });

    it('writes nothing for an owner that lost the run', async () => {
      const { store, reader, evidence } = opened();
      const run = await running(opened());
      for (const lost of [
        { runId: run.id, epoch: 2 },
        { runId: newId(), epoch: 1 },
      ]) {
        await expect(store.appendFrames(lost, textFrames(2))).rejects.toThrow(LeaseLostError);
        await expect(store.startStep(lost, aStep(run), counters(1), textFrames(2))).rejects.toThrow(LeaseLostError);
        const changes = progress(aStep(run), { operations: [anOperation(run)] });
        await expect(store.settleStep(lost, changes, textFrames(2))).rejects.toThrow(LeaseLostError);
        await expect(store.suspend(lost, changes, textFrames(2))).rejects.toThrow(LeaseLostError);
      }
      expect(await reader.run(run.id)).toEqual(run);
      expect((await reader.frames(run.id, 1, 10)).frames).toEqual([]);
      expect(await reader.lastStep(run.id)).toBeUndefined();
      expect(await reader.messages(run.threadId)).toEqual([]);
      expect((await evidence.operations({ runId: run.id })).items).toEqual([]);
    });
  });
}

import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anEnding, ME, textFrames, yes } from './store.samples.js';
import { fenceOf, resume, running, suspended, suspendNow, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeWatching(opened: Opened): void {
  const { describe, it, expect } = jestWords();

  describe('who watches a run', () => {
    it('is noted for a time that only grows, and told to the owner once it has passed', async () => {
      const { store, moveTime } = opened();
      const [watched, other] = [await running(opened()), await running(opened())];
      expect(await store.watching(watched.id)).toBeUndefined();
      expect(await store.watch([watched.id, newId(), 'no-id'], 1_000)).toEqual([watched.id]);
      await store.watch([watched.id], 10);
      expect((await timeLeft(watched)) > 500).toBe(true);
      expect(await store.watching(other.id)).toBeUndefined();
      expect(await unwatched(watched, other)).toEqual([]);
      await moveTime(1_001);
      expect(await timeLeft(watched)).toBe(0);
      expect(await unwatched(watched, other)).toEqual([watched.id]);
      await store.watch([watched.id], 1_000);
      expect(await unwatched(watched, other)).toEqual([]);
    });

    it('is kept up, where that is asked, only if something is noted', async () => {
      const { store, moveTime } = opened();
      const [watched, other] = [await running(opened()), await running(opened())];
      await store.watch([watched.id], 10);
      await moveTime(11);
      expect(await store.watch([watched.id, other.id], 1_000, 'noted')).toEqual([watched.id]);
      expect(await unwatched(watched)).toEqual([]);
      expect(await store.watching(other.id)).toBeUndefined();
    });

    for (const how of ['cut', 'gone'] as const) {
      it(`and was ${how}, in order: told for how long others have to say so again, and never taken for silence`, async () => {
        const { store, moveTime } = opened();
        const [ended, other] = [await running(opened()), await running(opened())];
        await store.watch([ended.id], 60_000);
        const before = await store.watching(ended.id);
        await store.unwatch([ended.id, other.id, newId(), 'no-id'], how, 1_000);
        const after = await store.watching(ended.id);
        expect(after?.ended).toBe(how);
        expect(after?.note === before?.note).toBe(false);
        expect((await timeLeft(ended)) > 500).toBe(true);
        expect((await timeLeft(ended)) <= 1_000).toBe(true);
        expect(await store.watching(other.id)).toBeUndefined();
        await moveTime(1_001);
        expect([await timeLeft(ended), (await store.watching(ended.id))?.ended]).toEqual([0, how]);
        await moveTime(1_000_000);
        expect(await unwatched(ended)).toEqual([]);
        // Somebody comes back.
        await store.watch([ended.id], 100);
        expect((await timeLeft(ended)) <= 100).toBe(true);
        expect((await store.watching(ended.id))?.ended).toBeUndefined();
        await moveTime(101);
        expect(await unwatched(ended)).toEqual([ended.id]);
      });
    }

    it('and left is silent as soon as others could have said that they are there', async () => {
      const { store, moveTime } = opened();
      const [left, never] = [await running(opened()), await running(opened())];
      await store.watch([left.id], 60_000);
      await store.unwatch([left.id, never.id], 'left', 1_000);
      for (const run of [left, never]) {
        expect((await timeLeft(run)) <= 1_000).toBe(true);
        expect((await store.watching(run.id))?.ended).toBeUndefined();
      }
      expect(await unwatched(left, never)).toEqual([]);
      await moveTime(1_001);
      expect([...(await unwatched(left, never))].sort()).toEqual([left.id, never.id].sort());
      // Leaving once more does not put it off.
      await store.unwatch([left.id], 'left', 1_000);
      expect(await timeLeft(left)).toBe(0);
    });

    it('that a client is gone hides neither a silence that has come nor a cut; a cut is the last word, until somebody leaves after it', async () => {
      const { store, moveTime } = opened();
      const [silent, cut] = [await running(opened()), await running(opened())];
      await store.watch([silent.id, cut.id], 10);
      await moveTime(11);
      await store.unwatch([cut.id], 'cut', 10);
      await store.unwatch([silent.id, cut.id], 'gone', 10);
      expect((await store.watching(cut.id))?.ended).toBe('cut');
      expect(await unwatched(silent, cut)).toEqual([silent.id]);
      await store.unwatch([cut.id], 'left', 10);
      await moveTime(11);
      expect([...(await unwatched(silent, cut))].sort()).toEqual([silent.id, cut.id].sort());
    });

    it('is forgotten when the run goes on after it waited', async () => {
      const { store, moveTime } = opened();
      const { run, approvalId } = await waiting(opened());
      await store.watch([run.id], 10);
      await suspendNow(opened(), run);
      expect(await store.watch([run.id], 10)).toEqual([]);
      for (const how of ['cut', 'gone', 'left'] as const) await store.unwatch([run.id], how, 10);
      expect(await store.watching(run.id)).toBeUndefined();
      await store.vote([yes(approvalId)]);
      const result = await store.takeOver(resume(run.id), ME);
      if ('refused' in result) throw new Error(result.refused);
      await moveTime(11);
      expect(await unwatched(result.taken)).toEqual([]);
    });

    it('of nobody and of an unknown run is nothing', async () => {
      const { store } = opened();
      expect(await store.watch([], 10)).toEqual([]);
      await store.unwatch([], 'cut', 10);
      expect([await store.watching(newId()), await store.watching('no-id')]).toEqual([undefined, undefined]);
    });

    const timeLeft = async ({ id }: StoredRun): Promise<number> => (await opened().store.watching(id))?.forMs ?? NaN;
    const unwatched = async (...runs: readonly StoredRun[]): Promise<readonly string[]> =>
      (await opened().store.renew(runs.map(fenceOf), ME)).unwatched;
  });

  describe('the events of ended runs', () => {
    it('are deleted in batches, oldest first, once they were kept long enough; the run says so', async () => {
      const { store, reader, moveTime } = opened();
      await store.expireEvents(0, 10_000);
      const runs = [await running(opened()), await running(opened()), await running(opened())];
      for (const run of runs) {
        await store.appendFrames(fenceOf(run), textFrames(2));
        await store.finish(fenceOf(run), anEnding(run), []);
        await moveTime(1_000);
      }
      expect(await store.expireEvents(60_000, 10)).toBe(0);
      await moveTime(60_000);
      expect([await store.expireEvents(60_000, 2), await store.expireEvents(60_000, 2)]).toEqual([2, 1]);
      expect(await store.expireEvents(60_000, 2)).toBe(0);
      for (const { id } of runs) {
        const run = await reader.run(id);
        expect({ frames: (await reader.frames(id, 0, 10)).frames, lastSeq: run?.lastSeq }).toEqual({
          frames: [],
          lastSeq: 2,
        });
        expect(run?.eventsExpiredAt === undefined).toBe(false);
      }
    });

    it('stay where the run is under way or waits, however long that takes', async () => {
      const { store, reader, moveTime } = opened();
      const live = await running(opened());
      const { run: waits } = await suspended(opened());
      await moveTime(1_000_000);
      await store.expireEvents(1, 10_000);
      for (const run of [live, waits]) {
        expect((await reader.frames(run.id, 0, 10)).frames.map(({ seq }) => seq)).toContain(1);
        expect((await reader.run(run.id))?.eventsExpiredAt).toBeUndefined();
      }
    });
  });
}

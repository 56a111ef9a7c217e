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
      expect(await store.watchedFor(watched.id)).toBe(0);
      await store.watch([watched.id, newId(), 'no-id'], 1_000);
      await store.watch([watched.id], 10);
      expect((await store.watchedFor(watched.id)) > 500).toBe(true);
      expect(await store.watchedFor(other.id)).toBe(0);
      const fences = [fenceOf(watched), fenceOf(other)];
      expect((await store.renew(fences, ME)).unwatched).toEqual([]);
      await moveTime(1_001);
      expect(await store.watchedFor(watched.id)).toBe(0);
      expect((await store.renew(fences, ME)).unwatched).toEqual([watched.id]);
      await store.watch([watched.id], 1_000);
      expect((await store.renew(fences, ME)).unwatched).toEqual([]);
    });

    it('is forgotten where a server cut the reader off, and when the run goes on after it waited', async () => {
      const { store, moveTime } = opened();
      const cut = await running(opened());
      await store.watch([cut.id], 10);
      await store.unwatch([cut.id, newId(), 'no-id']);
      await moveTime(11);
      expect((await store.renew([fenceOf(cut)], ME)).unwatched).toEqual([]);
      const { run, approvalId } = await waiting(opened());
      await store.watch([run.id], 10);
      await suspendNow(opened(), run);
      await store.watch([run.id], 10);
      expect(await store.watchedFor(run.id)).toBe(0);
      await store.vote([yes(approvalId)]);
      const result = await store.takeOver(resume(run.id), ME);
      if ('refused' in result) throw new Error(result.refused);
      await moveTime(11);
      expect((await store.renew([fenceOf(result.taken)], ME)).unwatched).toEqual([]);
    });

    it('of nobody and of an unknown run is nothing', async () => {
      const { store } = opened();
      await store.watch([], 10);
      await store.unwatch([]);
      expect([await store.watchedFor(newId()), await store.watchedFor('no-id')]).toEqual([0, 0]);
    });
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

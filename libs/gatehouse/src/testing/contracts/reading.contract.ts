import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { anApproval, anEnding, yes } from './store.samples.js';
import { fenceOf, running } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeReading(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('reading', () => {
    it('knows nothing of what was never stored', async () => {
      const { reader } = opened();
      for (const id of [newId(), 'no-id']) {
        expect(await reader.run(id)).toBeUndefined();
        expect(await reader.lastStep(id)).toBeUndefined();
        expect((await reader.frames(id, 0, 10)).frames).toEqual([]);
        expect(await reader.approval(id)).toBeUndefined();
        expect(await reader.threadOwner(id)).toBeUndefined();
        expect(await reader.messages(id)).toEqual([]);
        expect(await reader.segment({}, id)).toBeUndefined();
        expect(await reader.approvals({ runId: id })).toEqual({ items: [], nextCursor: null });
      }
    });

    it('pages runs newest first, without gap or repetition', async () => {
      const { reader } = opened();
      const agent = `agent-${newId()}`;
      const ids: string[] = [];
      for (let count = 0; count < 5; count += 1) ids.unshift((await running(opened(), { agent })).id);
      const first = await reader.runs({ agent, limit: 2 });
      const second = await reader.runs({ agent, limit: 2, cursor: first.nextCursor ?? '' });
      const third = await reader.runs({ agent, limit: 2, cursor: second.nextCursor ?? '' });
      expect([first, second, third].map(({ items }) => items.map(({ id }) => id))).toEqual([
        ids.slice(0, 2),
        ids.slice(2, 4),
        ids.slice(4),
      ]);
      expect(first.nextCursor).toBe(ids[1]);
      expect(third.nextCursor).toBeNull();
      expect((await reader.runs({ agent, limit: 5 })).nextCursor).toBeNull();
    });

    it('filters runs', async () => {
      const { store, reader } = opened();
      const organizationId = `org-${newId()}`;
      const run = await running(opened(), { organizationId });
      const other = await running(opened(), { organizationId, user: { id: 'eve' }, agent: 'other' });
      await store.finish(fenceOf(other), anEnding(other), []);
      const ids = async (query: Parameters<typeof reader.runs>[0]): Promise<string[]> =>
        (await reader.runs(query)).items.map(({ id }) => id);
      expect(await ids({ organizationId })).toEqual([other.id, run.id]);
      expect(await ids({ organizationId, status: 'running' })).toEqual([run.id]);
      expect(await ids({ organizationId, agent: 'other' })).toEqual([other.id]);
      expect(await ids({ threadId: run.threadId })).toEqual([run.id]);
      expect(await ids({ owner: { organizationId, principalId: 'eve' } })).toEqual([other.id]);
      expect(await ids({ owner: { organizationId } })).toEqual([]);
      expect(await ids({ owner: { principalId: 'eve' }, organizationId })).toEqual([]);
    });

    it('filters approvals', async () => {
      const { store, reader } = opened();
      const organizationId = `org-${newId()}`;
      const run = await running(opened());
      const ask = async (toolName: string, requestedBy: string): Promise<string> =>
        (await store.requestApproval(fenceOf(run), anApproval(run, { organizationId, toolName, requestedBy }))).id;
      const [a, b] = [await ask('refund', 'ann'), await ask('erase', 'eve')];
      await store.vote([yes(b)]);
      const ids = async (query: Parameters<typeof reader.approvals>[0]): Promise<string[]> =>
        (await reader.approvals({ organizationId, ...query })).items.map(({ id }) => id);
      expect(await ids({})).toEqual([b, a]);
      expect(await ids({ limit: 1 })).toEqual([b]);
      expect(await ids({ cursor: b })).toEqual([a]);
      expect(await ids({ status: 'pending' })).toEqual([a]);
      expect(await ids({ toolName: 'erase' })).toEqual([b]);
      expect(await ids({ requestedBy: 'ann' })).toEqual([a]);
      expect(await ids({ threadId: run.threadId, runId: run.id })).toEqual([b, a]);
    });

    it('refuses a limit out of range and a cursor that is none', async () => {
      const { reader, evidence } = opened();
      for (const limit of [0, -1, 501, 1.5, Number.NaN])
        await expect(reader.runs({ limit })).rejects.toThrow(InvalidQueryError);
      for (const cursor of ['', 'abc', "' OR 1=1"]) {
        await expect(reader.runs({ cursor })).rejects.toThrow(InvalidQueryError);
        await expect(reader.approvals({ cursor })).rejects.toThrow(InvalidQueryError);
        await expect(evidence.executions({ cursor })).rejects.toThrow(InvalidQueryError);
      }
      expect((await reader.runs({ limit: 500 })).items.length).toBeLessThanOrEqual(500);
    });
  });
}

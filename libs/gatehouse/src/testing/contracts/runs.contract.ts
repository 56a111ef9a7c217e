import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import { aRun, ME, startedFrame, textFrames, userMessage } from './store.samples.js';
import { running } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeRuns(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('starting a run', () => {
    it('stores it whole, running, at epoch 1, with its messages and frames', async () => {
      const { store, reader } = opened();
      const run = aRun({ parentRunId: newId(), parentOperationId: newId() });
      const messages = [userMessage('first'), userMessage('second')];
      const frames = [startedFrame(run), ...textFrames(2)];
      const result = await store.startRun(run, messages, frames, ME);
      const expected = {
        ...run,
        status: 'running',
        epoch: 1,
        owner: 'process-1',
        step: 0,
        counters: {
          usage: { requests: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0 },
          retries: {},
          refusals: {},
          toolRefusals: {},
        },
        lastSeq: 2,
        startedAt: expect.any(Date),
      };
      expect(result).toEqual({ started: expected });
      expect(await reader.run(run.id)).toEqual(expected);
      expect(await reader.messages(run.threadId)).toEqual(messages);
      expect((await reader.frames(run.id, 0, 10)).frames).toEqual(frames);
      expect(await reader.segment({ organizationId: 'acme', principalId: 'ann' }, run.segment)).toEqual({
        runId: run.id,
        firstSeq: 1,
      });
      expect(await reader.threadOwner(run.threadId)).toEqual({ organizationId: 'acme', principalId: 'ann' });
    });

    it('keeps a run without anybody and anything optional', async () => {
      const { store, reader } = opened();
      const { user: _u, organizationId: _o, ipAddress: _i, instructions: _n, tools: _t, ...bare } = aRun();
      expect(await store.startRun(bare, [], [], ME)).toMatchObject({ started: { id: bare.id, lastSeq: 0 } });
      const stored = await reader.run(bare.id);
      expect(Object.keys(stored ?? {})).not.toEqual(expect.arrayContaining(['user']));
      expect(await reader.threadOwner(bare.threadId)).toEqual({});
    });

    it('refuses a thread of somebody else, whatever else is wrong, and writes nothing', async () => {
      const { store, reader } = opened();
      const first = await running(opened());
      const thief = aRun({ threadId: first.threadId, segment: first.segment, user: { id: 'mallory' } });
      expect(await store.startRun(thief, [userMessage('mine now')], [], ME)).toEqual({ refused: 'thread' });
      expect(await store.startRun({ ...thief, id: first.id }, [], [], ME)).toEqual({ refused: 'thread' });
      expect(await reader.run(thief.id)).toBeUndefined();
      expect(await reader.messages(first.threadId)).toEqual([]);
    });

    it('counts an absent organization as one of its own', async () => {
      const { store } = opened();
      const { organizationId: _none, ...of } = aRun();
      expect(await store.startRun(of, [], [], ME)).toMatchObject({ started: { id: of.id } });
      expect(await store.startRun(aRun({ threadId: of.threadId }), [], [], ME)).toEqual({ refused: 'thread' });
    });

    it('refuses a run id and a segment that were used before, and names the run', async () => {
      const { store } = opened();
      const first = await running(opened());
      expect(await store.startRun(aRun({ id: first.id, digestKey: 'b3RoZXI' }), [], [], ME)).toEqual({
        refused: 'run',
        runId: first.id,
      });
      expect(await store.startRun(aRun({ segment: first.segment }), [], [], ME)).toEqual({
        refused: 'segment',
        runId: first.id,
      });
      const other = aRun({ segment: first.segment, user: { id: 'eve' } });
      expect(await store.startRun(other, [], [], ME)).toMatchObject({ started: { id: other.id } });
    });

    it('lets one run of a thread be under way, children apart', async () => {
      const { store } = opened();
      const first = await running(opened());
      const second = aRun({ threadId: first.threadId });
      expect(await store.startRun(second, [], [], ME)).toEqual({ refused: 'busy', runId: first.id });
      const child = aRun({ threadId: first.threadId, parentRunId: first.id });
      expect(await store.startRun(child, [], [], ME)).toMatchObject({ started: { id: child.id } });
    });

    it('refuses ids that are none', async () => {
      const { store } = opened();
      await expect(store.startRun(aRun({ id: 'run-1' }), [], [], ME)).rejects.toThrow(InvalidQueryError);
      await expect(store.startRun(aRun({ threadId: '' }), [], [], ME)).rejects.toThrow(InvalidQueryError);
      await expect(store.startRun(aRun({ threadId: 'x'.repeat(129) }), [], [], ME)).rejects.toThrow(InvalidQueryError);
      await expect(store.startRun(aRun({ segment: 'x'.repeat(129) }), [], [], ME)).rejects.toThrow(InvalidQueryError);
    });

    it('keeps copies: what a caller changes afterwards changes nothing', async () => {
      const { store, reader } = opened();
      const state = { seen: 1 };
      const run = aRun({ state });
      await store.startRun(run, [], [], ME);
      state.seen = 99;
      expect((await reader.run(run.id))?.state).toEqual({ seen: 1 });
    });
  });
}

import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import { newId } from '../../values/ids.js';
import { jestWords } from './jest.words.js';
import {
  aFailedOperation,
  anApproval,
  anEnding,
  anExecution,
  anOperation,
  aRun,
  aStep,
  aTerminal,
  counters,
  ME,
  textFrames,
  userMessage,
  yes,
} from './store.samples.js';
import { fenceOf, running, suspended, waiting } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeEndings(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('ending a run', () => {
    it('stores record, frames, step, messages, operations and evidence at once', async () => {
      const { store, reader, evidence } = opened();
      const run = await running(opened());
      const failed = newId();
      const ending = anEnding(run, {
        record: aTerminal(run, {
          status: 'failed',
          stage: 'executor',
          error: 'Error: no',
          failedOperations: [aFailedOperation(run, failed)],
        }),
        operations: [anOperation(run)],
        messages: [userMessage('last')],
        step: aStep(run),
        audit: anExecution(run, { kind: 'run', toolName: 'agent.run', operationId: null, success: false }),
      });
      expect(await store.finish(fenceOf(run), ending, textFrames(2))).toBe(true);
      const { failedOperations: _f, ...record } = ending.record;
      expect(await reader.run(run.id)).toMatchObject({
        status: 'failed',
        owner: null,
        finishedAt: expect.any(Date),
        state: { seen: 3 },
        counters: counters(2),
        lastSeq: 2,
        step: 1,
      });
      expect((await reader.frames(run.id, 1, 10)).frames).toEqual(textFrames(2));
      expect(await reader.messages(run.threadId)).toEqual(ending.messages);
      expect(await reader.lastStep(run.id)).toEqual(ending.step);
      expect((await evidence.terminals({ runId: run.id })).items).toEqual([
        { ...record, failedOperationIds: [failed] },
      ]);
      expect((await evidence.operations({ runId: run.id })).items).toEqual(ending.operations);
      expect((await evidence.executions({ runId: run.id })).items).toEqual([ending.audit]);
    });

    it('happens once: the same record again is success, another is not, and writes nothing', async () => {
      const { store, reader, evidence } = opened();
      const run = await running(opened());
      const ending = anEnding(run);
      expect(await store.finish(fenceOf(run), ending, textFrames(2))).toBe(true);
      expect(await store.finish(fenceOf(run), ending, textFrames(2))).toBe(true);
      const second = anEnding(run, { record: aTerminal(run, { status: 'cancelled' }), messages: [userMessage('no')] });
      expect(await store.finish(fenceOf(run), second, textFrames(3))).toBe(false);
      expect(await reader.run(run.id)).toMatchObject({ status: 'completed', lastSeq: 2 });
      expect(await reader.messages(run.threadId)).toEqual([]);
      expect((await evidence.terminals({ runId: run.id })).items).toHaveLength(1);
    });

    it('is refused to an owner that lost the run, and for a suspended one', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      await expect(store.finish({ runId: run.id, epoch: 2 }, anEnding(run), [])).rejects.toThrow(LeaseLostError);
      await expect(store.finish({ runId: newId(), epoch: 1 }, anEnding(run), [])).rejects.toThrow(LeaseLostError);
      expect((await reader.run(run.id))?.status).toBe('running');
      const waits = await suspended(opened());
      await expect(store.finish(fenceOf(waits.run), anEnding(waits.run), [])).rejects.toThrow(LeaseLostError);
    });

    it('closes open approvals, and lets nothing more be claimed', async () => {
      const { store, reader } = opened();
      const { run, approvalId } = await waiting(opened());
      const approved = await store.requestApproval(fenceOf(run), anApproval(run));
      await store.vote([yes(approved.id)]);
      await store.finish(fenceOf(run), anEnding(run, { openBecome: 'superseded' }), []);
      expect((await reader.approval(approvalId))?.status).toBe('superseded');
      expect((await reader.approval(approved.id))?.status).toBe('superseded');
      const other = await waiting(opened());
      await store.finish(fenceOf(other.run), anEnding(other.run), []);
      expect((await reader.approval(other.approvalId))?.status).toBe('cancelled');
    });

    it('frees the thread for the next run', async () => {
      const { store } = opened();
      const run = await running(opened());
      await store.finish(fenceOf(run), anEnding(run), []);
      const next = aRun({ threadId: run.threadId });
      expect(await store.startRun(next, [], [], ME)).toMatchObject({ started: { id: next.id } });
    });
  });
}

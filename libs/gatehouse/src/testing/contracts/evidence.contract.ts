import { newId } from '../../values/ids.js';
import { executionEntry } from '../../values/ledger/execution.entry.js';
import { operationEntry } from '../../values/ledger/operation.entry.js';
import { jestWords } from './jest.words.js';
import { anApproval, anEnding, anExecution, anOperation, aTerminal, no, yes } from './store.samples.js';
import { fenceOf, running } from './store.scenes.js';
import type { Opened } from './tested.store.js';

export function describeEvidence(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  const ids = (page: { readonly items: readonly { readonly id: string }[] }): string[] =>
    page.items.map(({ id }) => id);

  describe('evidence', () => {
    it('keeps each record as it was given, once', async () => {
      const { evidence } = opened();
      const run = { id: newId(), threadId: 'thread' };
      const execution = anExecution(run);
      const failed = anExecution(run, {
        success: false,
        error: 'TypeError: no',
        resultSize: null,
        organizationId: null,
        targetType: null,
        targetId: null,
        ipAddress: null,
        operationId: null,
        principalId: null,
        late: true,
      });
      await evidence.append([execution, failed].map(executionEntry));
      await evidence.append([{ ...execution, toolName: 'forged' }].map(executionEntry));
      expect((await evidence.executions({ runId: run.id })).items).toEqual([failed, execution]);
      const operation = anOperation(run);
      const denied = anOperation(run, {
        status: 'denied',
        outcome: 'denied',
        executionStarted: false,
        decidedBy: 'person',
        reason: 'no',
        guidance: 'ask',
        blockedByOperationId: newId(),
        redirectedFromOperationId: newId(),
        approvalId: newId(),
        parentOperationId: newId(),
        argumentsDigest: null,
        executedDigest: null,
        error: 'E: x',
        shadowed: [],
      });
      await evidence.append([operation, denied, operation].map(operationEntry));
      await evidence.append([].map(operationEntry));
      expect((await evidence.operations({ runId: run.id })).items).toEqual([denied, operation]);
    });

    it('filters executions', async () => {
      const { evidence } = opened();
      const run = { id: newId(), threadId: `thread-${newId()}` };
      const at = (text: string): Partial<Parameters<typeof anExecution>[1]> => ({ startedAt: new Date(text) });
      const a = anExecution(run, { toolName: 'a', principalId: 'eve', ...at('2026-01-01T00:00:00Z') });
      const b = anExecution(run, { kind: 'run', success: false, targetId: '2', ...at('2026-01-02T00:00:00Z') });
      await evidence.append([a, b].map(executionEntry));
      const found = async (query: object): Promise<string[]> =>
        ids(await evidence.executions({ threadId: run.threadId, ...query }));
      expect(await found({})).toEqual([b.id, a.id]);
      expect(await found({ toolName: 'a' })).toEqual([a.id]);
      expect(await found({ kind: 'run' })).toEqual([b.id]);
      expect(await found({ success: false })).toEqual([b.id]);
      expect(await found({ operationId: a.operationId })).toEqual([a.id]);
      expect(await found({ targetType: 'order', targetId: '2' })).toEqual([b.id]);
      expect(await found({ principalId: 'eve', organizationId: 'acme' })).toEqual([a.id]);
      expect(await found({ organizationId: 'other' })).toEqual([]);
      expect(await found({ from: b.startedAt })).toEqual([b.id]);
      expect(await found({ until: b.startedAt })).toEqual([a.id]);
      expect(await found({ limit: 1, cursor: b.id })).toEqual([a.id]);
      expect(await found({ runId: 'no-id' })).toEqual([]);
    });

    it('filters operations and terminal records', async () => {
      const { store, evidence } = opened();
      const run = await running(opened());
      const [a, b] = [anOperation(run, { toolName: 'a' }), anOperation(run, { status: 'denied', decidedBy: 'person' })];
      await store.finish(
        fenceOf(run),
        anEnding(run, { record: aTerminal(run, { status: 'raised' }), operations: [a, b] }),
        [],
      );
      const query = { runId: run.id };
      expect(ids(await evidence.operations({ ...query, toolName: 'a' }))).toEqual([a.id]);
      expect(ids(await evidence.operations({ ...query, status: 'denied' }))).toEqual([b.id]);
      expect(ids(await evidence.operations({ ...query, decidedBy: 'person' }))).toEqual([b.id]);
      expect((await evidence.terminals({ ...query, status: 'raised', agent: 'support' })).items).toHaveLength(1);
      expect((await evidence.terminals({ ...query, status: 'completed' })).items).toEqual([]);
    });

    it('shows approvals by who decided, never the exact arguments', async () => {
      const { store, evidence } = opened();
      const run = await running(opened());
      const ask = async (changes = {}): Promise<string> =>
        (await store.requestApproval(fenceOf(run), anApproval(run, changes))).id;
      const [approved, denied, pending] = [await ask(), await ask({ toolName: 'erase' }), await ask()];
      await store.vote([yes(approved, 'bob'), no(denied, 'cleo')]);
      const query = { runId: run.id };
      expect(ids(await evidence.approvals(query))).toEqual([pending, denied, approved]);
      expect(ids(await evidence.approvals({ ...query, approver: 'bob' }))).toEqual([approved]);
      expect(ids(await evidence.approvals({ ...query, approver: 'cleo', toolName: 'erase' }))).toEqual([denied]);
      expect(ids(await evidence.approvals({ ...query, principalId: 'ann', status: 'pending' }))).toEqual([pending]);
      const [shown] = (await evidence.approvals({ ...query, approver: 'bob' })).items;
      expect(shown).toMatchObject({ args: { order: 1, secret: '[redacted]' }, decidedBy: ['bob'], status: 'approved' });
      expect(JSON.stringify(shown)).not.toContain('s3');
      expect(Object.keys(shown ?? {})).not.toEqual(expect.arrayContaining(['validated']));
    });

    it('tells the story of a run in order', async () => {
      const { store, evidence } = opened();
      const run = await running(opened());
      const approval = await store.requestApproval(fenceOf(run), anApproval(run));
      await store.vote([yes(approval.id, 'bob', { reason: 'fine' })]);
      const later = run.startedAt.getTime() + 3_600_000;
      const after = (milliseconds: number): Date => new Date(later + milliseconds);
      const operation = anOperation(run, { finishedAt: after(2) });
      const execution = anExecution(run, { finishedAt: after(1) });
      const record = aTerminal(run, { finishedAt: after(3) });
      await store.finish(fenceOf(run), anEnding(run, { record, operations: [operation], audit: execution }), []);
      const of = { id: approval.id, toolName: 'refund' };
      const story = await evidence.timeline(run.id);
      expect(story.map(({ at: _at, ...entry }) => entry)).toEqual([
        { kind: 'run.started', id: run.id, toolName: null, status: null, detail: 'support', by: null },
        { ...of, kind: 'approval.requested', status: null, detail: 'Refund order 1', by: 'ann' },
        { ...of, kind: 'approval.voted', status: 'approved', detail: 'fine', by: 'bob' },
        { ...of, kind: 'approval.decided', status: 'approved', detail: 'fine', by: null },
        { ...of, kind: 'approval.withdrawn', status: 'cancelled', detail: null, by: null },
        { kind: 'execution', id: execution.id, toolName: 'refund', status: 'success', detail: null, by: null },
        { kind: 'operation', id: operation.id, toolName: 'refund', status: 'completed', detail: null, by: null },
        { kind: 'run.terminal', id: record.id, toolName: null, status: 'completed', detail: null, by: null },
      ]);
      expect(story[0]?.at).toEqual(run.startedAt);
      expect(await evidence.timeline(newId())).toEqual([]);
      expect(await evidence.timeline('no-id')).toEqual([]);
    });
  });
}

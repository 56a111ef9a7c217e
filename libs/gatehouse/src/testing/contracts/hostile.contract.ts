import { newId } from '../../values/ids.js';
import { executionEntry } from '../../values/ledger/execution.entry.js';
import { operationEntry } from '../../values/ledger/operation.entry.js';
import { jestWords } from './jest.words.js';
import { anApproval, anExecution, anOperation, aRun, aStep, counters, ME, progress, yes } from './store.samples.js';
import { fenceOf, running } from './store.scenes.js';
import type { Opened } from './tested.store.js';

const HOSTILE = 'a\0b\ud800c\u202e"\'\\\n{}[];--$1::text';
const SHOWN = 'a\\u0000b\ufffdc\u202e"\'\\\n{}[];--$1::text';

export function describeHostileValues(opened: Opened): void {
  const { describe, it, expect } = jestWords();
  describe('hostile values', () => {
    it('come back exactly from working state, key order and odd keys included', async () => {
      const { store, reader } = opened();
      const state = JSON.parse(
        '{"zz":1,"a":{"__proto__":{"x":1},"constructor":0},"":null,"n":1e-7,"deep":[[[]]]}',
      ) as Record<string, never>;
      const run = aRun({ state, user: { id: 'ann', roles: [HOSTILE] } });
      const message = { id: HOSTILE, role: 'user', text: HOSTILE } as const;
      const frame = { seq: 1, event: { type: 'custom', name: HOSTILE, value: { [HOSTILE]: HOSTILE } } } as const;
      await store.startRun(run, [message], [frame], ME);
      const stored = await reader.run(run.id);
      expect(JSON.stringify(stored?.state)).toBe(JSON.stringify(state));
      expect(stored?.user).toEqual(run.user);
      expect(await reader.messages(run.threadId)).toEqual([message]);
      expect((await reader.frames(run.id, 0, 1)).frames).toEqual([frame]);
      const step = { ...aStep(run), text: HOSTILE };
      await store.startStep({ runId: run.id, epoch: 1 }, step, { ...counters(1), retries: { [HOSTILE]: 1 } }, []);
      expect(await reader.lastStep(run.id)).toEqual(step);
      expect((await reader.run(run.id))?.counters.retries).toEqual({ [HOSTILE]: 1 });
    });

    it('are made visible where they are columns', async () => {
      const { store, reader, evidence } = opened();
      const run = await running(opened(), {
        threadId: `${HOSTILE}${newId()}`,
        user: { id: HOSTILE },
        instructions: HOSTILE,
      });
      expect(run.instructions).toBe(SHOWN);
      expect(await reader.threadOwner(run.threadId)).toEqual({ organizationId: 'acme', principalId: SHOWN });
      const exact = JSON.stringify({ a: HOSTILE });
      const approval = await store.requestApproval(
        fenceOf(run),
        anApproval(run, {
          toolCallId: HOSTILE,
          summary: HOSTILE,
          received: exact,
          validated: exact,
          shown: { a: HOSTILE },
        }),
      );
      expect(approval).toMatchObject({
        toolCallId: SHOWN,
        summary: SHOWN,
        received: exact,
        validated: exact,
        args: { a: HOSTILE },
      });
      await store.vote([yes(approval.id, HOSTILE, { reason: HOSTILE, note: HOSTILE })]);
      expect((await store.vote([yes(approval.id, HOSTILE)])).votes[0]?.verdict).toBe('repeated');
      expect(await reader.approval(approval.id)).toMatchObject({ decidedBy: [SHOWN], reason: SHOWN, note: SHOWN });
      await store.requestCancel(run.id, HOSTILE, HOSTILE);
      expect((await reader.run(run.id))?.cancelRequested).toEqual({ source: SHOWN, reason: SHOWN });
      const execution = anExecution(run, {
        toolName: HOSTILE,
        argumentsRepr: HOSTILE,
        error: HOSTILE,
        targetId: HOSTILE,
      });
      const operation = anOperation(run, {
        toolName: HOSTILE,
        reason: HOSTILE,
        shadowed: [{ hook: HOSTILE, decision: 'skip' }],
      });
      await evidence.append([execution].map(executionEntry));
      await evidence.append([operation].map(operationEntry));
      expect((await evidence.executions({ runId: run.id, toolName: HOSTILE })).items).toEqual([
        { ...execution, toolName: SHOWN, argumentsRepr: SHOWN, error: SHOWN, targetId: SHOWN, threadId: run.threadId },
      ]);
      expect((await evidence.operations({ runId: run.id })).items).toEqual([
        { ...operation, toolName: SHOWN, reason: SHOWN, shadowed: [{ hook: SHOWN, decision: 'skip' }] },
      ]);
    });

    it('do not shorten what a model must read again', async () => {
      const { store, reader } = opened();
      const run = await running(opened());
      const text = 'x'.repeat(300_000);
      await store.settleStep(fenceOf(run), progress(aStep(run), { messages: [{ id: 'm', role: 'user', text }] }), []);
      const [message] = await reader.messages(run.threadId);
      expect(message?.role === 'user' && message.text.length).toBe(300_000);
    });
  });
}

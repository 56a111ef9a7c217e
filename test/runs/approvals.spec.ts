import {
  ApprovalRequired,
  ApprovalSpentError,
  Decide,
  Inspector,
  Middleware,
  type OperationRequest,
  type ToolCall,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ANN, BOB, type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';
import { bootOn, STORES } from '../support/governed/stores.js';

let app: GovernedApp;
const bodies = () => app.module.get(Bodies).ran;
afterEach(() => app.close());

const refund = (order: number, amount: number, id = 'r1') => call('refund', { order, amount }, id);
const pending = async (runId: string) => (await app.approvals.list({ runId, status: 'pending' })).items;

describe.each(STORES)('in %s', (store) => {
  const start = async (providers: Boot['providers'] = []) => {
    app = await bootOn(store, { providers: [Bodies, OrderTools, ...providers] });
  };

  describe('a gated call', () => {
    it('is stored, suspends the run, and runs once with the approved arguments', async () => {
      await start();
      const { outcome, events, handle, script } = await app.play([
        [call('lookup', { order: 7 }, 'l1'), refund(7, 25)],
        [says('refunded')],
      ]);
      expect(outcome).toMatchObject({
        status: 'suspended',
        approvals: [
          { toolName: 'refund', args: { order: 7, amount: 25 }, summary: 'Refund 25 of order 7', status: 'pending' },
        ],
      });
      expect(bodies()).toEqual(['lookup 7']);
      expect(events.at(-1)).toMatchObject({
        type: 'run.suspended',
        approvals: [{ toolCallId: 'r1', message: 'Refund 25 of order 7' }],
      });
      expect(app.records.lines()).toEqual(['lookup ok']);
      const [approval] = await pending(handle.runId);

      const resumed = await app.resumed(handle.runId, [
        { approvalId: approval?.id ?? '', approved: true, note: 'fine by me' },
      ]);
      expect(resumed.outcome).toEqual({ status: 'completed', output: 'refunded', text: 'refunded' });
      expect(bodies()).toEqual(['lookup 7', 'refund 7 25']);
      expect(app.module.get(OrderTools).calls.at(-1)?.approval).toEqual({
        id: approval?.id,
        decidedBy: ['ann'],
        note: 'fine by me',
      });
      expect(app.records.lines()).toEqual(['lookup ok', 'refund ok']);
      expect(script.results[0]).toMatchObject([
        { toolCallId: 'l1', outcome: 'success' },
        { toolCallId: 'r1', outcome: 'success', content: 'refunded 25' },
      ]);
      expect(await app.approvals.get(approval?.id ?? '')).toMatchObject({ status: 'done', decidedBy: ['ann'] });
      expect(resumed.events.map(({ type }) => type)).toEqual([
        'run.started',
        'step.started',
        'tool.result',
        'step.finished',
        'text.start',
        'text.delta',
        'text.end',
        'step.started',
        'step.finished',
        'run.finished',
      ]);
    });

    it('denied: the model reads the reason and the run goes on', async () => {
      await start();
      const { handle, script } = await app.play([[refund(7, 25)], [says('sorry')]]);
      const [approval] = await pending(handle.runId);
      const { outcome } = await app.resumed(handle.runId, [
        { approvalId: approval?.id ?? '', approved: false, reason: 'Too much.' },
      ]);
      expect(outcome.status).toBe('completed');
      expect(script.results[0]).toMatchObject([{ status: 'denied', outcome: 'denied', content: 'Too much.' }]);
      expect(bodies()).toEqual([]);
      expect(app.records.events).toEqual([]);
      expect(await app.operations(handle.runId)).toMatchObject([
        { status: 'denied', decidedBy: 'person', reason: 'Too much.' },
      ]);
    });

    it('a decision from code resumes the run by itself', async () => {
      await start();
      const { handle } = await app.play([[refund(7, 25)], [says('refunded')]]);
      const [approval] = await pending(handle.runId);
      await app.approvals.decide(approval?.id ?? '', {
        approved: true,
        by: ANN,
        argumentsDigest: approval?.argumentsDigest,
      });
      while ((await app.trail.terminals({ runId: handle.runId })).items.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      expect(bodies()).toEqual(['refund 7 25']);
    });

    it('two of one response, one approved, one denied, one free: one result each, in emission order', async () => {
      await start();
      const { handle, script } = await app.play([
        [refund(1, 1, 'a'), call('lookup', { order: 2 }, 'b'), refund(3, 3, 'c')],
        [says('ok')],
      ]);
      const waiting = await pending(handle.runId);
      const idOf = (toolCallId: string) => waiting.find((one) => one.toolCallId === toolCallId)?.id ?? '';
      await app.resumed(handle.runId, [
        { approvalId: idOf('a'), approved: false },
        { approvalId: idOf('c'), approved: true },
      ]);
      expect(script.results[0]?.map(({ toolCallId, outcome }) => `${toolCallId} ${outcome}`)).toEqual([
        'a denied',
        'b success',
        'c success',
      ]);
      expect(bodies()).toEqual(['lookup 2', 'refund 3 3']);
    });

    it('edited arguments replace the arguments, once they pass the schema; only listed fields', async () => {
      await start();
      const { handle } = await app.play([[refund(7, 25)], [says('ok')]]);
      const [approval] = await pending(handle.runId);
      const edit = (editedArgs: Record<string, number>) =>
        app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true, editedArgs: editedArgs }]);
      await expect(edit({ order: 8, amount: 20 })).rejects.toThrow(/refused/);
      await expect(edit({ order: 7, amount: -1 })).rejects.toThrow(/refused/);
      expect(await pending(handle.runId)).toHaveLength(1);
      await edit({ order: 7, amount: 20 });
      expect(bodies()).toEqual(['refund 7 20']);
    });

    it('somebody who may not decide decides nothing', async () => {
      await start();
      const { handle } = await app.play([[refund(7, 25)], [says('ok')]]);
      const [approval] = await pending(handle.runId);
      await expect(
        app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }], BOB),
      ).rejects.toThrow('may not be decided by you');
      expect(await pending(handle.runId)).toHaveLength(1);
      expect(bodies()).toEqual([]);
    });

    it('[345] arguments changed on the way void the approval: asked once more, the second time it fails', async () => {
      let amount = 100;
      @Middleware()
      class Raise {
        aroundTool(tool: ToolCall, next: (changed?: { args: unknown }) => Promise<unknown>) {
          return tool.toolName === 'refund' ? next({ args: { order: 7, amount: (amount += 1) } }) : next();
        }
      }
      await start([Raise]);
      const { handle, script } = await app.play([[refund(7, 25)], [says('ok')]]);
      const [first] = await pending(handle.runId);
      const again = await app.resumed(handle.runId, [{ approvalId: first?.id ?? '', approved: true }]);
      expect(again.outcome).toMatchObject({ status: 'suspended', approvals: [{ args: { order: 7, amount: 101 } }] });
      expect((await app.approvals.get(first?.id ?? '')).status).toBe('superseded');
      const [second] = await pending(handle.runId);
      await app.resumed(handle.runId, [{ approvalId: second?.id ?? '', approved: true }]);
      expect(script.results.at(-2)).toMatchObject([{ status: 'failed', outcome: 'failed' }]);
      expect(bodies()).toEqual([]);
    });

    it('[357] one claim buys one start', async () => {
      const second: unknown[] = [];
      @Middleware()
      class Twice {
        async aroundTool(_: ToolCall, next: () => Promise<unknown>) {
          const value = await next();
          await next().catch((error: unknown) => second.push(error));
          return value;
        }
      }
      await start([Twice]);
      const { handle } = await app.play([[refund(7, 25)], [says('ok')]]);
      const [approval] = await pending(handle.runId);
      await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
      expect(bodies()).toEqual(['refund 7 25']);
      expect(second).toHaveLength(1);
      expect(second[0]).toBeInstanceOf(ApprovalSpentError);
    });

    it('[346] the inspector has the last word, and sees that it was approved', async () => {
      const approved: boolean[] = [];
      @Inspector()
      class Late {
        inspectOperation(request: OperationRequest) {
          approved.push(request.approved);
          return request.approved ? Decide.reject('Closed meanwhile.') : Decide.accept();
        }
      }
      await start([Late]);
      const { handle, script } = await app.play([[refund(7, 25)], [says('ok')]]);
      const [approval] = await pending(handle.runId);
      await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
      expect(approved).toEqual([false, true]);
      expect(script.results[0]).toMatchObject([{ status: 'rejected', outcome: 'denied' }]);
      expect(bodies()).toEqual([]);
    });

    it('a new message while something waits supersedes it: denied, recorded, never run', async () => {
      await start();
      const { handle } = await app.play([[refund(7, 25)], [says('never')]], { threadId: 'thread-1' });
      const next = await app.play([[says('hello again')]], { threadId: 'thread-1' });
      expect(next.outcome.status).toBe('completed');
      expect(await app.operations(handle.runId)).toMatchObject([
        { status: 'denied', reason: 'superseded by a new message' },
      ]);
      expect((await app.approvals.list({ runId: handle.runId })).items).toMatchObject([{ status: 'superseded' }]);
      expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([{ status: 'cancelled' }]);
      expect(next.script.requests[0]?.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
      expect(bodies()).toEqual([]);
    });

    it('cancelling a run that waits cancels its approvals and closes its calls', async () => {
      await start();
      const { handle } = await app.play([[refund(7, 25)], [says('never')]]);
      expect(await handle.cancel('no longer needed')).toBe('cancelled');
      expect((await app.approvals.list({ runId: handle.runId })).items).toMatchObject([{ status: 'cancelled' }]);
      expect(await app.statuses(handle.runId)).toEqual(['refund skipped']);
    });

    it('an anonymous run has nobody to ask: denied, not waiting', async () => {
      await start();
      const { script, outcome } = await app.play([[refund(7, 25)], [says('ok')]], { user: undefined });
      expect(outcome.status).toBe('completed');
      expect(script.results[0]).toMatchObject([{ status: 'denied', outcome: 'denied' }]);
      expect(bodies()).toEqual([]);
    });
  });

  describe('direct calls', () => {
    it('return the value of the method, through the whole pipeline', async () => {
      await start();
      expect(await app.tools.call('lookup', { order: 5 }, { user: ANN })).toEqual({ order: 5, status: 'shipped' });
      expect(app.records.lines()).toEqual(['lookup ok']);
    });

    it("throw the method's own object, policy on", async () => {
      await start();
      await expect(app.tools.call('broken')).rejects.toMatchObject({ name: 'QueryFailedError' });
      await expect(app.tools.call('lookup', { order: 'x' })).rejects.toMatchObject({ name: 'InvalidArgumentsError' });
      await expect(app.tools.call('nope')).rejects.toMatchObject({ name: 'UnknownToolError' });
    });

    it('a gated one throws ApprovalRequired with the id of the stored approval, and the decision runs it', async () => {
      await start();
      const thrown: unknown = await app.tools
        .call('refund', { order: 7, amount: 25 }, { user: ANN })
        .catch((error: unknown) => error);
      expect(thrown).toBeInstanceOf(ApprovalRequired);
      const { approvalId = '' } = thrown as ApprovalRequired;
      expect(bodies()).toEqual([]);
      const { runId } = await app.approvals.decide(approvalId, { approved: true, by: ANN });
      while ((await app.trail.terminals({ runId })).items.length === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      expect(bodies()).toEqual(['refund 7 25']);
      expect((await app.approvals.get(approvalId)).status).toBe('done');
    });

    it('callBatch has the barrier and one result for each call', async () => {
      await start();
      const results = await app.tools.callBatch(
        [call('lookup', { order: 1 }), call('broken'), call('lookup', { order: 2 })],
        { user: ANN },
      );
      expect(results.map(({ outcome }) => outcome)).toEqual(['success', 'failed', 'success']);
    });
  });
});

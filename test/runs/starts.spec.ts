import { Middleware, type ToolCall, type ToolMiddleware } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { notingComplaints } from '../support/complaints.js';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, DeskAgent, OrderTools } from '../support/governed/order.tools.js';

let app: GovernedApp;
afterEach(() => app.close());
const bodies = () => app.module.get(Bodies).ran;
const decide = async (runId: string) => {
  const [approval] = (await app.approvals.list({ runId })).items;
  return [{ approvalId: approval?.id ?? '', approved: true }];
};

/** Starts what it wraps twice at the same time; only the first answer counts. */
@Middleware()
class Twice implements ToolMiddleware {
  static outcomes: string[] = [];

  async aroundTool(_: ToolCall, next: Parameters<ToolMiddleware['aroundTool']>[1]) {
    const both = await Promise.allSettled([next(), next()]);
    Twice.outcomes = both.map((one) => (one.status === 'fulfilled' ? 'ran' : (one.reason as Error).name));
    const [first] = both;
    if (first?.status === 'fulfilled') return first.value;
    throw first?.reason as Error;
  }
}

/** Tries once more, whatever went wrong. */
@Middleware()
class Again implements ToolMiddleware {
  async aroundTool(_: ToolCall, next: Parameters<ToolMiddleware['aroundTool']>[1]) {
    return next().catch(() => next());
  }
}

it('one claim buys one start, also where a middleware calls next twice at the same time', async () => {
  app = await boot({ providers: [Bodies, OrderTools, DeskAgent, Twice] });
  const { handle } = await app.play([], { agent: 'desk' });
  const { outcome } = await app.resumed(handle.runId, await decide(handle.runId));
  expect(outcome).toMatchObject({ status: 'completed', output: 'refunded 25' });
  expect(bodies()).toEqual(['refund 7 25']);
  expect(Twice.outcomes).toEqual(['ran', 'ApprovalSpentError']);
  expect(app.records.lines()).toEqual(['refund ok']);
});

it('each start of an ungated method has its own record, also one that never settles in time', async () => {
  app = await boot({ providers: [Bodies, OrderTools, Again], options: { runs: { grace: 20 } } });
  let attempts = 0;
  app.module.get(OrderTools).before = () => {
    attempts += 1;
    if (attempts === 1) throw new Error('first');
    return new Promise((resolve) => setTimeout(resolve, 150));
  };
  const controller = new AbortController();
  const told = app.play([[call('lookup', { order: 1 })], [says('never')]], { signal: controller.signal });
  while (attempts < 2) await new Promise((resolve) => setImmediate(resolve));
  controller.abort();
  expect((await told).outcome.status).toBe('cancelled');
  while (app.records.events.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(app.records.events.filter(({ kind }) => kind === 'tool')).toMatchObject([
    { success: false, error: 'Error: first', late: false },
    { success: true, late: true },
  ]);
});

it('a batch that is ended while a sibling waits for a person is over: nobody is asked, and it throws what ended it', async () => {
  app = await boot({ providers: [Bodies, OrderTools] });
  const { ran } = app.module.get(Bodies);
  const controller = new AbortController();
  const batch = app.tools.callBatch(
    [
      { toolName: 'refund', args: { order: 7, amount: 25 } },
      { toolName: 'patient', args: {} },
    ],
    { user: ANN, signal: controller.signal },
  );
  batch.catch(() => undefined);
  while (!ran.includes('patient')) await new Promise((resolve) => setImmediate(resolve));
  controller.abort(new Error('enough'));
  await expect(batch).rejects.toThrow('enough');
  const [approval] = (await app.approvals.list({})).items;
  expect(approval?.status).toBe('cancelled');
  expect(await app.statuses(approval?.runId ?? '')).toEqual(['refund skipped', 'patient interrupted']);
  expect((await app.trail.terminals({ runId: approval?.runId })).items).toMatchObject([{ status: 'cancelled' }]);
});

it('what cannot even be asked what it is fails its call like any error, and never leaves by itself', async () => {
  app = await boot({ providers: [Bodies, OrderTools] });
  const complaints = notingComplaints();
  // Typed as an error, as what libraries throw is; that it is none is the point.
  const { proxy, revoke } = Proxy.revocable(new Error('revoked'), {});
  revoke();
  app.module.get(OrderTools).before = () => Promise.reject(proxy);
  const { outcome, handle } = await app.play([[call('lookup', { order: 1 })], [says('sorry')]]);
  expect(outcome).toMatchObject({ status: 'completed', output: 'sorry' });
  expect(await app.statuses(handle.runId)).toEqual(['lookup failed']);
  expect(app.records.lines()).toEqual(['lookup Error: Something that cannot be read was thrown.']);
  const agent = { execute: () => Promise.reject(proxy) };
  expect((await app.runner.start({ agent, input: 'go', user: ANN }).outcome).status).toBe('failed');
  expect(await complaints()).toEqual([]);
});

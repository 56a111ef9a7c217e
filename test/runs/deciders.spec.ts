import {
  Decide,
  Hook,
  Inspector,
  Listener,
  Middleware,
  type HookCall,
  type OperationRequest,
  type ToolCall,
} from 'nest-gatehouse';

import { call, says } from 'nest-gatehouse/testing';

import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';

const tools = [Bodies, OrderTools];
let app: GovernedApp;
const bodies = () => app.module.get(Bodies).ran;
const start = async (providers: Parameters<typeof boot>[0]['providers'] = [], options = {}) => {
  app = await boot({ providers: [...tools, ...providers], options });
};
afterEach(() => app.close());

describe('inspectors', () => {
  @Inspector()
  class NoSecond {
    seen: string[] = [];
    inspectOperation({ args, toolName }: OperationRequest) {
      this.seen.push(toolName);
      return (args as { order?: number }).order === 2 ? Decide.reject('Not this one.', 'Try 3.') : Decide.accept();
    }
  }

  it('[33] a rejection skips its later siblings, names itself as the cause, and goes back with guidance', async () => {
    await start([NoSecond]);
    const orders = (...numbers: number[]) => numbers.map((order) => call('lookup', { order }));
    const { script, handle, outcome } = await app.play([orders(1, 2, 3), orders(3), [says('done')]]);
    expect(await app.statuses(handle.runId)).toEqual([
      'lookup completed',
      'lookup rejected',
      'lookup skipped by lookup',
      'lookup completed',
    ]);
    expect(bodies()).toEqual(['lookup 1', 'lookup 3']);
    const [, refused, skipped] = script.results[0] ?? [];
    expect(JSON.parse(refused?.content ?? '')).toEqual({
      outcome: 'denied',
      message: 'Not this one.',
      guidance: 'Try 3.',
      operationId: refused?.operationId,
      runId: handle.runId,
      step: 1,
      executionStarted: false,
    });
    expect(skipped?.content).toContain(refused?.operationId);
    expect(app.module.get(NoSecond).seen).toEqual(['lookup', 'lookup', 'lookup']);
    expect(outcome.status).toBe('completed');
  });

  it('[16] an abort ends the run whatever the executor does with it', async () => {
    @Inspector()
    class Stop {
      inspectOperation() {
        return Decide.abort('Closed for today.');
      }
    }
    await start([Stop]);
    const { outcome, events, handle } = await app.play([
      [call('lookup', { order: 1 }), call('lookup', { order: 2 })],
      [says('never')],
    ]);
    expect(outcome).toMatchObject({ status: 'aborted', error: { reason: 'Closed for today.', subject: 'operation' } });
    expect(events.at(-1)).toMatchObject({
      type: 'run.failed',
      code: 'aborted',
      message: 'The run was stopped: Closed for today.',
    });
    expect(await app.statuses(handle.runId)).toEqual(['lookup aborted', 'lookup skipped by lookup']);
    expect(bodies()).toEqual([]);
  });

  it('[20] a crash ends the run, and nothing runs', async () => {
    @Inspector()
    class Broken {
      inspectOperation(): never {
        throw new TypeError('oops');
      }
    }
    await start([Broken]);
    const { outcome } = await app.play([[call('lookup', { order: 1 })], [says('never')]]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'operation_inspection' });
    expect(bodies()).toEqual([]);
  });
});

describe('hooks, middleware, listeners', () => {
  it('[328] a redirect really executes the other arguments, as a linked operation', async () => {
    @Hook()
    class Canonical {
      beforeTool({ args }: HookCall) {
        return (args as { order: number }).order === 1
          ? Decide.redirect({ args: { order: 1001 } }, 'old number')
          : undefined;
      }
    }
    await start([Canonical]);
    const { script, handle } = await app.play([[call('lookup', { order: 1 }, 'c1')], [says('ok')]]);
    const [first, second] = await app.operations(handle.runId);
    expect([first?.status, second?.status]).toEqual(['redirected', 'completed']);
    expect(second?.redirectedFromOperationId).toBe(first?.id);
    expect(bodies()).toEqual(['lookup 1001']);
    expect(script.results[0]).toMatchObject([{ toolCallId: 'c1', operationId: second?.id, outcome: 'success' }]);
  });

  it('[331] a skip stands in for the result; nothing ran, siblings go on', async () => {
    @Hook()
    class Stub {
      beforeTool({ args }: HookCall) {
        return (args as { order: number }).order === 1
          ? Decide.skip('cached', { order: 1, cached: true })
          : Decide.continue();
      }
    }
    await start([Stub]);
    const { handle, script } = await app.play([
      [call('lookup', { order: 1 }), call('lookup', { order: 2 })],
      [says('ok')],
    ]);
    expect(await app.statuses(handle.runId)).toEqual(['lookup stubbed', 'lookup completed']);
    expect(script.results[0]?.[0]?.content).toBe('{"order":1,"cached":true}');
    expect(app.records.lines()).toEqual(['lookup ok']);
  });

  it('middleware wraps the execution; each start of the method has its own record', async () => {
    @Middleware()
    class Twice {
      async aroundTool(_: ToolCall, next: () => Promise<unknown>) {
        await next();
        return next();
      }
    }
    await start([Twice]);
    await app.play([[call('lookup', { order: 1 })], [says('ok')]]);
    expect(bodies()).toEqual(['lookup 1', 'lookup 1']);
    expect(app.records.lines()).toEqual(['lookup ok', 'lookup ok']);
  });

  it('arguments that middleware changed are inspected once more', async () => {
    const inspected: unknown[] = [];
    @Inspector()
    class Watch {
      inspectOperation({ args }: OperationRequest) {
        inspected.push({ ...(args as object) });
        return Decide.accept();
      }
    }
    @Middleware()
    class Shift {
      aroundTool(_: ToolCall, next: (changed: { args: unknown }) => Promise<unknown>) {
        return next({ args: { order: 2 } });
      }
    }
    await start([Watch, Shift]);
    await app.play([[call('lookup', { order: 1 })], [says('ok')]]);
    expect(inspected).toEqual([{ order: 1 }, { order: 2 }]);
    expect(bodies()).toEqual(['lookup 2']);
  });

  it('[82] a listener that throws fails the run; the operation stays what it was', async () => {
    @Listener()
    class Broken {
      operationFinished() {
        throw new Error('ledger offline');
      }
    }
    await start([Broken]);
    const { outcome, handle } = await app.play([[call('lookup', { order: 1 })], [says('never')]]);
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'delivery',
      error: { finished: { status: 'completed' }, deliveryCause: { message: 'ledger offline' } },
    });
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed']);
  });
});

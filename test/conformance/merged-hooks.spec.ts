import {
  Decide,
  Hook,
  Inspector,
  TerminalOperationError,
  type GatehouseModuleOptions,
  type HookCall,
  type OperationRequest,
} from 'nest-gatehouse';
import { call, captureLog, says } from 'nest-gatehouse/testing';

import { boot, type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { Till } from './support/till.js';

let app: GovernedApp;
const done = () => app.module.get(Till).done;
const start = async (providers: Boot['providers'] = [], options: GatehouseModuleOptions = {}) => {
  app = await boot({ providers: [Till, ...providers], options });
};
afterEach(() => app.close());

const amountOf = ({ args }: { readonly args?: unknown }): number => (args as { amount: number }).amount;
const records = () =>
  app.records.events.map(({ toolName, argumentsRepr, success }) => `${toolName} ${argumentsRepr} ${success}`);

/** What the inspector was asked, in order. */
@Inspector()
class Watch {
  readonly seen: string[] = [];
  inspectOperation(request: OperationRequest) {
    this.seen.push(`${request.toolName} ${amountOf(request)}`);
    return amountOf(request) === 13 ? Decide.reject('Not 13.') : Decide.accept();
  }
}

describe('a hook before the call', () => {
  @Hook()
  class Redirects {
    beforeTool({ toolName, args }: HookCall) {
      if (toolName !== 'look') return undefined;
      const amount = amountOf({ args });
      if (amount === 1) return Decide.redirect({ args: { amount: 2 } }, 'a better amount');
      if (amount === 3) return Decide.redirect({ tool: 'pay' }, 'pay instead');
      return amount === 4 ? Decide.redirect({ args: { amount: 13 } }) : undefined;
    }
  }

  it('[328] redirects the arguments: the inspector and the audit see those, the ledger the original too', async () => {
    await start([Watch, Redirects]);
    const { handle } = await app.play([[call('look', { amount: 1 })], [says('ok')]]);
    expect(app.module.get(Watch).seen).toEqual(['look 2']);
    expect(records()).toEqual(['look {"amount":2} true']);
    const operations = await app.operations(handle.runId);
    expect(operations.map(({ status, argumentsRepr }) => `${status} ${argumentsRepr}`)).toEqual([
      'redirected {"amount":1}',
      'completed {"amount":2}',
    ]);
    expect(operations[1]?.redirectedFromOperationId).toBe(operations[0]?.id);
  });

  it('[329] redirects to a gated tool: a person is asked about that one, and its body does not run', async () => {
    await start([Redirects]);
    const { outcome } = await app.play([[call('look', { amount: 3 })], [says('never')]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'pay', args: { amount: 3 } }] });
    expect(done()).toEqual([]);
  });

  it('[330] redirects to what the inspector refuses: rejected, and the barrier trips', async () => {
    await start([Watch, Redirects]);
    const { handle } = await app.play([[call('look', { amount: 4 }), call('look', { amount: 5 })], [says('ok')]]);
    expect(await app.statuses(handle.runId)).toEqual(['look redirected', 'look rejected', 'look skipped by look']);
    expect(done()).toEqual([]);
  });

  it('[331] skips: stubbed in the ledger, nothing in the audit, siblings run, the hooks after it are told', async () => {
    const told: unknown[] = [];
    @Hook()
    class Stub {
      beforeTool({ args }: HookCall) {
        return amountOf({ args }) === 1 ? Decide.skip('cached', 'from the cache') : undefined;
      }
      afterTool({ args, result, durationMs }: HookCall & { result: unknown; durationMs: number }) {
        told.push([amountOf({ args }), result, durationMs === 0]);
      }
    }
    await start([Stub]);
    const { handle } = await app.play([[call('look', { amount: 1 }), call('look', { amount: 2 })], [says('ok')]]);
    expect(await app.statuses(handle.runId)).toEqual(['look stubbed', 'look completed']);
    expect(records()).toEqual(['look {"amount":2} true']);
    expect(told).toEqual([
      [1, 'from the cache', true],
      [2, 'found', false],
    ]);
  });

  it('[332] aborts: later siblings do not run, the run ends, and no failure policy converts it', async () => {
    @Hook()
    class Stop {
      beforeTool({ args }: HookCall) {
        return amountOf({ args }) === 2 ? Decide.abort('Enough.') : undefined;
      }
    }
    await start([Stop]);
    const { handle, outcome } = await app.play([
      [call('look', { amount: 1 }), call('look', { amount: 2 }), call('look', { amount: 3 })],
      [says('never')],
    ]);
    expect(outcome).toMatchObject({ status: 'aborted', error: { name: 'HookAbortError', reason: 'Enough.' } });
    expect(done()).toEqual(['look 1']);
    const [, aborted, skipped] = await app.operations(handle.runId);
    expect([aborted?.status, skipped?.status]).toEqual(['aborted', 'skipped']);
    expect(skipped?.blockedByOperationId).toBe(aborted?.id);
  });
});

describe('what no failure policy may touch', () => {
  it('[333] a control signal ends the run with the policy on and an empty list of denials', async () => {
    class Stopped extends TerminalOperationError {}
    const thrown = new Stopped('This ends here.');
    await start([], { failure: { enabled: true, reraise: [] } });
    app.module.get(Till).jam = () => {
      throw thrown;
    };
    const { outcome, script } = await app.play([[call('jam', { amount: 1 })], [says('never')]]);
    expect(outcome.status).toBe('failed');
    expect('error' in outcome && outcome.error).toBe(thrown);
    expect(script.results).toEqual([]);
  });

  it('[334] a crash of an inspector is terminal, never a failed result', async () => {
    @Inspector()
    class Crash {
      inspectOperation(): never {
        throw new TypeError('inspector broke');
      }
    }
    await start([Crash]);
    const { outcome, script } = await app.play([[call('look', { amount: 1 })], [says('never')]]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'operation_inspection' });
    expect(script.results).toEqual([]);
    expect(done()).toEqual([]);
  });

  it('[335] where a hook and an inspector crash in one call, the hook is passed over and the inspector ends the run', async () => {
    const order: string[] = [];
    @Hook()
    class CrashingHook {
      beforeTool(): never {
        order.push('hook');
        throw new Error('hook broke');
      }
    }
    @Inspector()
    class CrashingInspector {
      inspectOperation(): never {
        order.push('inspector');
        throw new Error('inspector broke');
      }
    }
    await start([CrashingHook, CrashingInspector]);
    const log = captureLog();
    const { outcome } = await app.play([[call('look', { amount: 1 })], [says('never')]]);
    log.release();
    expect(order).toEqual(['hook', 'inspector']);
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'operation_inspection',
      error: { cause: { message: 'inspector broke' } },
    });
    expect(log.lines.some(({ message }) => message.includes('hook broke'))).toBe(true);
  });

  it('[336] a hook that fails closed ends the run when it crashes, and the error names it', async () => {
    @Hook({ failClosed: true })
    class Strict {
      beforeTool(): never {
        throw new Error('hook broke');
      }
    }
    await start([Strict]);
    const { outcome } = await app.play([[call('look', { amount: 1 })], [says('never')]]);
    expect(outcome.status).toBe('failed');
    expect('error' in outcome && outcome.error.message).toContain('Strict');
    expect(done()).toEqual([]);
  });
});

describe('a hook after the call', () => {
  it('[339] redirects a failure: two records, two linked operations, and the commit inspector sees the failure', async () => {
    const failed: string[][] = [];
    @Inspector()
    class Commits {
      inspectCommit({ failedOperations }: { failedOperations: readonly { request: OperationRequest }[] }) {
        failed.push(failedOperations.map(({ request }) => request.toolName));
        return Decide.accept();
      }
    }
    @Hook()
    class Mend {
      onError({ args }: HookCall & { error: unknown }) {
        return Decide.redirect({ tool: 'look', args: args as { amount: number } }, 'look instead');
      }
    }
    await start([Commits, Mend]);
    const { handle, script } = await app.play([[call('jam', { amount: 1 }, 'c1')], [says('ok')]]);
    expect(app.records.lines()).toEqual(['jam ValueError: kaboom', 'look ok']);
    const [first, second] = await app.operations(handle.runId);
    expect([first?.status, second?.status]).toEqual(['failed', 'completed']);
    expect(second?.redirectedFromOperationId).toBe(first?.id);
    expect(script.results[0]).toMatchObject([{ toolCallId: 'c1', outcome: 'success', content: 'found' }]);
    expect(failed).toEqual([['jam']]);
  });

  it('[340] redirects a success: two successes in the audit, linked in the ledger', async () => {
    @Hook()
    class Again {
      afterTool({ args }: HookCall) {
        return amountOf({ args }) === 1 ? Decide.redirect({ args: { amount: 2 } }, 'better') : undefined;
      }
    }
    await start([Again]);
    const { handle } = await app.play([[call('look', { amount: 1 })], [says('ok')]]);
    expect(records()).toEqual(['look {"amount":1} true', 'look {"amount":2} true']);
    const [first, second] = await app.operations(handle.runId);
    expect([first?.status, second?.status]).toEqual(['completed', 'completed']);
    expect(second?.redirectedFromOperationId).toBe(first?.id);
  });
});

import { Injectable } from '@nestjs/common';
import { DestructiveTool, RequireApproval, Tool, type ToolMiddleware } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { wrapping } from '../conformance/support/wrappers.js';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES, type Store } from '../support/governed/stores.js';

const parameters = { type: 'object' } as const;

let app: GovernedApp;
const ran: string[] = [];
/** What the calls of `next` that nobody waited for came to. */
let late: Promise<unknown>[] = [];
beforeEach(() => {
  ran.length = 0;
  late = [];
});
afterEach(() => app.close());

@Injectable()
class Tools {
  @DestructiveTool({ description: 'Waits for a person', parameters })
  drop() {
    ran.push('drop');
    return 'dropped';
  }

  @Tool({ description: 'Needs a person beyond 100', parameters })
  @RequireApproval<{ amount: number }>({ when: ({ amount }) => amount > 100 })
  pay(_args: { amount: number }) {
    ran.push('pay');
    return 'paid';
  }

  @Tool({ description: 'Looks something up', parameters })
  look() {
    ran.push('look');
    return 'fresh';
  }
}

type Around = ToolMiddleware['aroundTool'];
const boots = async (kind: Store, tool: string, around: Around) => {
  const only: Around = (one, next) => (one.toolName === tool ? around(one, next) : next());
  app = await bootOn(kind, { providers: [Tools, wrapping(only)] });
};
const told = (started: Promise<unknown>): Promise<unknown> =>
  started.catch((error: unknown) => (error instanceof Error ? error.message : error));
const ledger = async (runId: string) =>
  (await app.operations(runId)).map(({ toolName, status, executionStarted }) => ({
    toolName,
    status,
    executionStarted,
  }));
const approvals = async (runId: string) =>
  (await app.approvals.list({ runId })).items.map(({ toolName, status }) => `${toolName} ${status}`);

describe.each(STORES)('on %s, a start that its middleware does not wait for', (kind) => {
  it('is looked at before its approved operation ends: what runs is recorded as started', async () => {
    await boots(kind, 'drop', async (_, next) => {
      late.push(told(next()));
      await Promise.resolve();
      throw new Error('too slow');
    });
    const { handle } = await app.play([[call('drop', {})], [says('ok')]]);
    const [approval] = (await app.approvals.list({ runId: handle.runId })).items;
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(await Promise.all(late)).toEqual(['dropped']);
    expect(ran).toEqual(['drop']);
    expect(await ledger(handle.runId)).toEqual([{ toolName: 'drop', status: 'failed', executionStarted: true }]);
    expect(app.records.lines()).toEqual(['drop ok']);
  });

  it('does not start once its operation has its result', async () => {
    let refresh = (): void => undefined;
    const stale = new Promise<void>((resolve) => (refresh = resolve));
    await boots(kind, 'look', (_, next) => {
      late.push(told(stale.then(() => next())));
      return Promise.resolve('stale');
    });
    const { handle, script } = await app.play([
      [call('look', {})],
      () => {
        refresh();
        return [says('ok')];
      },
    ]);
    const [operation] = await app.operations(handle.runId);
    expect(await Promise.all(late)).toEqual([
      `Tool 'look' was not started for operation ${operation?.id}: what stands around it had answered already. ` +
        'Await next() before answering.',
    ]);
    expect(ran).toEqual([]);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'completed', content: 'stale' });
    expect(await ledger(handle.runId)).toEqual([{ toolName: 'look', status: 'completed', executionStarted: false }]);
    expect(app.records.lines()).toEqual([]);
  });

  it('whose arguments need a person makes its own operation wait, not none', async () => {
    await boots(kind, 'pay', (_, next) => {
      late.push(told(next({ args: { amount: 500 } })));
      return Promise.resolve('cached');
    });
    const { handle, outcome } = await app.play([[call('pay', { amount: 1 })], [call('drop', {})], [says('ok')]]);
    expect(outcome.status).toBe('suspended');
    expect(await approvals(handle.runId)).toEqual(['pay pending']);
    expect(ran).toEqual([]);
  });
});

import { Injectable } from '@nestjs/common';
import { Decide, DestructiveTool, Hook, RequireApproval, Tool, ToolRetryError, type ToolHook } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';

const Order = z.object({ n: z.number() });
type Order = z.infer<typeof Order>;

@Injectable()
class Tools {
  readonly ran: string[] = [];

  @DestructiveTool({ description: 'fails', parameters: Order })
  gated({ n }: Order): never {
    return this.failing(n);
  }

  @Tool({ description: 'fails', parameters: Order })
  free({ n }: Order): never {
    return this.failing(n);
  }

  @Tool({ description: 'again', parameters: Order, retries: 1 })
  @RequireApproval<Order>({ when: ({ n }) => n === 2 })
  again({ n }: Order): never {
    this.ran.push(`again ${n}`);
    throw new ToolRetryError('again');
  }

  private failing(n: number): never {
    this.ran.push(`ran ${n}`);
    throw new Error('no');
  }
}

/** Redirects before the call, and after its failure once more: one is allowed. */
@Hook()
class Redirecting implements ToolHook {
  beforeTool({ args, toolName }: Parameters<NonNullable<ToolHook['beforeTool']>>[0]) {
    const redirects = toolName !== 'again' && (args as Order).n === 1;
    return redirects ? Decide.redirect({ args: { n: 2 } }, 'two') : undefined;
  }

  onError({ args }: Parameters<NonNullable<ToolHook['onError']>>[0]) {
    return Decide.redirect({ args: { n: (args as Order).n + 10 } }, 'ten more');
  }
}

let app: GovernedApp;
afterEach(() => app.close());
const boot = async (store: (typeof STORES)[number], ...more: (typeof Redirecting)[]) =>
  (app = await bootOn(store, { providers: [Tools, ...more], options: { guard: { enabled: true } } }));
const ran = () => app.module.get(Tools).ran;
const approved = async (runId: string) => {
  const { items } = await app.approvals.list({ runId });
  return app.resumed(
    runId,
    items.map(({ id: approvalId }) => ({ approvalId, approved: true })),
  );
};
const errorsOf = async (runId: string) => (await app.operations(runId)).map(({ outcome, error }) => [outcome, error]);

describe.each(STORES)('what a call has spent before it waited is spent when it goes on, in %s', (store) => {
  it('a redirect: its failure is not redirected again', async () => {
    await boot(store, Redirecting);
    const free = await app.play([[call('free', { n: 1 })], [says('ok')]]);
    expect(await app.statuses(free.handle.runId)).toEqual(['free redirected', 'free failed']);
    const { handle, outcome } = await app.play([[call('gated', { n: 1 })], [says('ok')]]);
    expect(outcome).toMatchObject({ status: 'suspended' });
    const resumed = await approved(handle.runId);
    expect(resumed.outcome).toMatchObject({ status: 'completed', output: 'ok' });
    expect(await app.statuses(handle.runId)).toEqual(['gated redirected', 'gated failed']);
    expect(ran()).toEqual(['ran 2', 'ran 2']);
  });

  it('a retry: the calls of one response count once, those that waited among them', async () => {
    await boot(store);
    const free = await app.play([[call('again', { n: 1 }), call('again', { n: 3 })], [says('ok')]]);
    const ungated = await errorsOf(free.handle.runId);
    const { handle } = await app.play([[call('again', { n: 1 }), call('again', { n: 2 })], [says('ok')]]);
    const resumed = await approved(handle.runId);
    expect(resumed.outcome).toMatchObject({ status: 'completed', output: 'ok' });
    expect(await errorsOf(handle.runId)).toEqual(ungated);
    expect(ungated.map(([outcome]) => outcome)).toEqual(['retry', 'retry']);
    expect(ran()).toEqual(['again 1', 'again 3', 'again 1', 'again 2']);
  });
});

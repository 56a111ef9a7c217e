import { Decide, Hook, Inspector, type HookCall, type OperationRequest } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import type { Boot, GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';
import { Till } from './support/till.js';

let app: GovernedApp;
const done = () => app.module.get(Till).done;
afterEach(() => app.close());

const pay = (amount: number, id?: string) => call('pay', { amount }, id);
const look = (amount: number, id?: string) => call('look', { amount }, id);
const approvalsOf = async (runId: string) => (await app.approvals.list({ runId })).items;

/** Refuses 13, and what it is told to refuse once it is approved. */
@Inspector()
class Careful {
  refusesApproved = false;
  readonly seen: [string, boolean][] = [];
  inspectOperation({ toolName, args, approved }: OperationRequest) {
    this.seen.push([toolName, approved]);
    if ((args as { amount: number }).amount === 13) return Decide.reject('Not 13.');
    return this.refusesApproved && approved ? Decide.reject('Closed meanwhile.') : Decide.accept();
  }
}

describe.each(STORES)('gate and inspector together, in %s', (store) => {
  const start = async (rest: Partial<Boot> = {}) => {
    app = await bootOn(store, { providers: [Till, Careful], ...rest });
  };

  it('[343] a refusal before a gated sibling skips it: nobody is asked', async () => {
    await start();
    const { handle, outcome } = await app.play([[look(1), look(13), pay(5)], [says('ok')]]);
    expect(outcome.status).toBe('completed');
    expect(await app.statuses(handle.runId)).toEqual(['look completed', 'look rejected', 'pay skipped by look']);
    expect(await approvalsOf(handle.runId)).toEqual([]);
  });

  it('[344] a refusal after a gated sibling: the run waits for that one, and the refusal is delivered on resume', async () => {
    await start();
    const { handle, outcome, script } = await app.play([[pay(5, 'p'), look(13, 'l')], [says('ok')]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'pay', status: 'pending' }] });
    expect(script.results).toEqual([]);
    const [approval] = await approvalsOf(handle.runId);
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(script.results[0]?.map(({ toolCallId, status }) => `${toolCallId} ${status}`)).toEqual([
      'p completed',
      'l rejected',
    ]);
    expect(await app.statuses(handle.runId)).toEqual(['pay completed', 'look rejected']);
    expect(done()).toEqual(['pay 5']);
  });

  it('[345] a hook that changes an approved call: void and asked once more; the second time it fails, and nothing starts', async () => {
    @Hook()
    class Raises {
      beforeTool({ args, call: approved }: HookCall) {
        const { amount } = args as { amount: number };
        return approved?.approval === undefined ? undefined : Decide.redirect({ args: { amount: amount + 1 } });
      }
    }
    await start({ providers: [Till, Careful, Raises] });
    const { handle, script } = await app.play([[pay(5)], [says('ok')]]);
    const answer = async () => {
      const [approval] = (await approvalsOf(handle.runId)).filter(({ status }) => status === 'pending');
      return app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    };
    expect((await answer()).outcome).toMatchObject({ status: 'suspended', approvals: [{ args: { amount: 6 } }] });
    expect((await answer()).outcome.status).toBe('completed');
    expect(await app.statuses(handle.runId)).toEqual(['pay redirected', 'pay failed']);
    expect(script.results[0]).toMatchObject([{ status: 'failed', outcome: 'failed' }]);
    expect(done()).toEqual([]);
  });

  it('[346] the inspector is asked again on resume, knows it was approved, and may still refuse: no body', async () => {
    await start();
    const { handle, script } = await app.play([[pay(5)], [says('ok')]]);
    const careful = app.module.get(Careful);
    careful.refusesApproved = true;
    const [approval] = await approvalsOf(handle.runId);
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    expect(careful.seen).toEqual([
      ['pay', false],
      ['pay', true],
    ]);
    expect(script.results[0]).toMatchObject([{ status: 'rejected', outcome: 'denied' }]);
    expect(app.records.events).toEqual([]);
    expect(done()).toEqual([]);
    expect(await approvalsOf(handle.runId)).toMatchObject([{ status: 'cancelled' }]);
  });

  it('[347] an exempt tool asks nobody, and is inspected and audited like any other', async () => {
    await start({ options: { guard: { enabled: true, exempt: ['pay'] } } });
    const { handle, outcome } = await app.play([[pay(5)], [says('ok')]]);
    expect(outcome.status).toBe('completed');
    expect(await approvalsOf(handle.runId)).toEqual([]);
    expect(app.module.get(Careful).seen).toEqual([['pay', false]]);
    expect(app.records.lines()).toEqual(['pay ok']);
    expect(done()).toEqual(['pay 5']);
  });

  it('[355] every proposal counts one call, skipped ones none, and a resume does not count again', async () => {
    await start();
    const { handle } = await app.play([[look(13), look(1), look(2)], [look(3), pay(5)], [says('ok')]]);
    const [approval] = await approvalsOf(handle.runId);
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true }]);
    const [terminal] = (await app.trail.terminals({ runId: handle.runId })).items;
    expect(terminal?.usage.toolCalls).toBe(3);
  });
});

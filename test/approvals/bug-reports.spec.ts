import { Injectable } from '@nestjs/common';
import {
  ApprovalNotFoundError,
  ApprovalRequired,
  Decide,
  Hook,
  Inspector,
  ToolRegistry,
  type HookCall,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { ANN, type Boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';
import { answer, asked, erase, PLAIN, PlainTools, playAndAnswer, send } from './support/plain.tools.js';
import { strictly } from './strict.provider.js';

let app: GovernedApp;
const start = async (
  providers: Boot['providers'] = [],
  options: Boot['options'] = {},
  store: 'memory' | 'postgres' = 'memory',
) => {
  app = await bootOn(store, { providers: [...PLAIN, ...providers], options });
};
const ran = () => app.module.get(PlainTools).ran;
afterEach(() => app.close());

// Mistakes that others made: B and a number, then the symptom that must not come back.
describe.each(STORES)('what others got wrong, in %s', (store) => {
  beforeEach(() => start([], {}, store));

  it('B02 a stale approval approves nothing newer', async () => {
    const { handle } = await app.play([[erase(1)], [erase(2)], [says('ok')]], { user: ANN });
    await answer(app, handle.runId, false);
    const [first, second] = await asked(app, handle.runId);
    await expect(app.approvals.decide(first?.id ?? '', { approved: true, by: ANN })).rejects.toThrow('already denied');
    expect((await app.approvals.get(second?.id ?? '')).status).toBe('pending');
    expect(ran()).toEqual([]);
  });

  it('B03 yes and no at the same time: one of them counts, the other is a conflict, whatever the order', async () => {
    const { handle } = await app.play([[erase(1)], [says('ok')]], { user: ANN });
    const [approval] = await asked(app, handle.runId);
    const words = Array.from({ length: 50 }, (_, at) => at % 2 === 0);
    const said = await Promise.allSettled(
      words.map((approved) => app.approvals.decide(approval?.id ?? '', { approved, by: ANN })),
    );
    expect(said.filter(({ status }) => status === 'fulfilled')).toHaveLength(25);
    while ((await app.trail.terminals({ runId: handle.runId })).items.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const { decidedBy, votes } = await app.approvals.get(approval?.id ?? '');
    expect([decidedBy, votes.length]).toEqual([['ann'], 1]);
    expect(ran()).toEqual(votes[0]?.approved === true ? ['erase 1'] : []);
  });

  it('B10 a denied call never reaches the method, and leaves who said no, when and why', async () => {
    const { handle } = await app.play([[erase(1), erase(2)], [says('ok')]], { user: ANN });
    const [one, two] = await asked(app, handle.runId);
    await app.resumed(handle.runId, [
      { approvalId: one?.id ?? '', approved: false, reason: 'Keep it.' },
      { approvalId: two?.id ?? '', approved: true },
    ]);
    expect(ran()).toEqual(['erase 2']);
    expect(await app.approvals.get(one?.id ?? '')).toMatchObject({
      status: 'denied',
      decidedBy: ['ann'],
      reason: 'Keep it.',
    });
    expect(await app.statuses(handle.runId)).toEqual(['erase denied', 'erase completed']);
  });

  it('B11 a finished sibling is not run again when the waiting one is approved', async () => {
    await playAndAnswer(app, [[send(1), erase(2)], [says('ok')]], true);
    expect(ran()).toEqual(['send 1', 'erase 2']);
  });

  it('B15 a denial costs its approved and its free siblings nothing; B16 and each call has its one result, in order', async () => {
    const { script, outcome } = await playAndAnswer(
      app,
      strictly([[send(1), erase(2), erase(3)], [says('ok')]]),
      true,
      false,
    );
    expect(outcome).toMatchObject({ status: 'completed', output: 'ok' });
    expect(script.results[0]?.map(({ toolCallId, outcome: came }) => `${toolCallId} ${came}`)).toEqual([
      's1 success',
      'e2 success',
      'e3 denied',
    ]);
  });

  it('B17 a denied call has a result in the next request; B18 so has an approved one, at a provider that insists', async () => {
    for (const approved of [false, true]) {
      const { outcome, script } = await playAndAnswer(app, strictly([[erase(1)], [says('ok')]]), approved);
      expect(outcome.status).toBe('completed');
      expect(script.requests.at(-1)?.at(-1)).toMatchObject({
        role: 'tool',
        results: [{ toolCallId: 'e1', content: approved ? 'erased 1' : 'The tool call was denied.' }],
      });
    }
  });

  it('B19 a message while something waits: denied, with a result, and the new run goes on', async () => {
    const first = await app.play([[erase(1)]], { user: ANN, threadId: 't' });
    const second = await app.play(strictly([[says('hello')]]), { user: ANN, threadId: 't' });
    expect(second.outcome).toMatchObject({ status: 'completed', output: 'hello' });
    expect(
      second.script.requests[0]?.flatMap((message) => (message.role === 'tool' ? message.results : [])),
    ).toMatchObject([{ toolCallId: 'e1', outcome: 'denied' }]);
    const [approval] = await asked(app, first.handle.runId);
    expect(approval?.status).toBe('superseded');
    await expect(app.approvals.decide(approval?.id ?? '', { approved: true, by: ANN })).rejects.toThrow('superseded');
    expect(ran()).toEqual([]);
  });

  it('B23 twenty answers at once: none is lost, and the run goes on once', async () => {
    const calls = Array.from({ length: 20 }, (_, at) => erase(at));
    const { handle, script } = await app.play([calls, [says('ok')]], { user: ANN });
    await Promise.all(
      (await asked(app, handle.runId)).map(({ id }) => app.approvals.decide(id, { approved: true, by: ANN })),
    );
    while ((await app.trail.terminals({ runId: handle.runId })).items.length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(new Set(ran())).toEqual(new Set(calls.map((_, at) => `erase ${at}`)));
    expect(ran()).toHaveLength(20);
    expect([script.requests.length, script.results.length]).toEqual([2, 2]);
  }, 20_000);

  it('B25 three equal calls are three approvals: yes, no and an edit go to the ones they name', async () => {
    const { handle, script } = await app.play([[erase(1, 'a'), erase(1, 'b'), erase(1, 'c')], [says('ok')]], {
      user: ANN,
    });
    const [a, b, c] = await asked(app, handle.runId);
    await app.resumed(handle.runId, [
      { approvalId: c?.id ?? '', approved: true, editedArgs: { n: 9 } },
      { approvalId: b?.id ?? '', approved: false },
      { approvalId: a?.id ?? '', approved: true },
    ]);
    expect(ran().toSorted()).toEqual(['erase 1', 'erase 9']);
    expect(script.results[0]?.map(({ toolCallId, outcome }) => `${toolCallId} ${outcome}`)).toEqual([
      'a success',
      'b denied',
      'c success',
    ]);
  });

  it('B26 two approvals one after another in one run; B28 the history has each call and each result once', async () => {
    const { handle, script } = await app.play(strictly([[erase(1)], [erase(2)], [says('ok')]]), { user: ANN });
    await answer(app, handle.runId, true);
    expect((await answer(app, handle.runId, true)).outcome).toMatchObject({ status: 'completed', output: 'ok' });
    const last = script.requests.at(-1) ?? [];
    expect(
      last.map((message) => (message.role === 'tool' ? message.results.map(({ content }) => content) : message.role)),
    ).toEqual(['user', 'assistant', ['erased 1'], 'assistant', ['erased 2']]);
  });

  it('B37 the note of whoever approved reaches the method, and the evidence', async () => {
    const { handle } = await app.play([[erase(1)], [says('ok')]], { user: ANN });
    const [approval] = await asked(app, handle.runId);
    await app.resumed(handle.runId, [{ approvalId: approval?.id ?? '', approved: true, note: 'Backed up.' }]);
    expect(app.module.get(PlainTools).calls[0]?.approval).toEqual({
      id: approval?.id,
      decidedBy: ['ann'],
      note: 'Backed up.',
    });
    expect((await app.trail.approvals({ runId: handle.runId })).items).toMatchObject([{ note: 'Backed up.' }]);
  });
});

describe('what others got wrong', () => {
  it('B13 however a destructive tool is registered, it waits', async () => {
    @Injectable()
    class Inherited extends PlainTools {}
    await start([{ provide: PlainTools, useClass: Inherited }]);
    const tools = [{ name: 'wipe', annotations: { readOnlyHint: true } }];
    app.module.get(ToolRegistry).register({ namespace: 'remote', tools, call: () => ran().push('wipe') });
    for (const proposed of [erase(1), call('remote_wipe', {})]) {
      const { outcome } = await app.play([[proposed]], { user: ANN });
      expect(outcome.status).toBe('suspended');
    }
    expect(ran()).toEqual([]);
  });

  it('B14 calls that depend on each other wait side by side, each with its own answer, in order', async () => {
    await start();
    const { runId, script } = await playAndAnswer(app, [[erase(1), erase(2)], [says('ok')]], true, true);
    expect(ran().toSorted()).toEqual(['erase 1', 'erase 2']);
    expect(script.results[0]?.map(({ content }) => content)).toEqual(['erased 1', 'erased 2']);
    expect(await app.statuses(runId)).toEqual(['erase completed', 'erase completed']);
  });

  it('B31 a stub, a waiting call and one that runs, in one response', async () => {
    @Hook()
    class Stub {
      beforeTool({ toolName, args }: HookCall) {
        const stubbed = toolName === 'send' && (args as { n: number }).n === 1;
        return stubbed ? Decide.skip('not today', 'stub') : Decide.continue();
      }
    }
    await start([Stub]);
    const { script } = await playAndAnswer(app, strictly([[send(1), erase(2), send(3)], [says('ok')]]), true);
    expect(script.results[0]?.map(({ toolCallId, content }) => `${toolCallId} ${content}`)).toEqual([
      's1 stub',
      'e2 erased 2',
      's3 sent 3',
    ]);
  });

  it('B32 an inspector that throws the approval signal ends the run in words, and starts nothing', async () => {
    @Inspector()
    class Asking {
      inspectOperation(): never {
        throw new ApprovalRequired();
      }
    }
    await start([Asking]);
    const { outcome } = await app.play([[send(1)]], { user: ANN });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'operation_inspection' });
    expect(ran()).toEqual([]);
  });

  it('B39 a run cannot ask for more than its budget of approvals, whoever answers', async () => {
    await start([], { limits: { pendingApprovals: 2 } });
    const { outcome } = await app.play([[erase(1), erase(2), erase(3)]], { user: ANN });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit' });
    expect(ran()).toEqual([]);
    const { items } = await app.approvals.list({});
    expect(items.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
  });

  it.each(['', 'no-id', '0190a000-0000-7000-8000-000000000000'])(
    "B24 an answer to '%s', which is no approval, is not found, and breaks nothing",
    async (id) => {
      await start();
      await expect(app.approvals.decide(id, { approved: true, by: ANN })).rejects.toThrow(ApprovalNotFoundError);
      const { outcome } = await playAndAnswer(app, [[erase(1)], [says('ok')]], true);
      expect(outcome.status).toBe('completed');
    },
  );
});

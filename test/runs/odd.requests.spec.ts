import {
  InvalidQueryError,
  Tool,
  UnknownToolError,
  type JsonValue,
  type Principal,
  type ToolCall,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';
import { bootOn, STORES } from '../support/governed/stores.js';

type State = Record<string, JsonValue>;

/** Ties a knot into the state of its run. */
class KnottyTools {
  @Tool({ description: 'Makes the state contain itself', parameters: { type: 'object' } })
  knot(_: object, { state }: ToolCall) {
    state['order'] = 7;
    state['self'] = state;
    return 'tied';
  }
}

const knotted = (): State => {
  const state: State = {};
  state['self'] = state;
  return state;
};

let app: GovernedApp;
afterEach(() => app.close());

describe.each(STORES)('what a program or a model without types hands in, on %s', (store) => {
  beforeEach(async () => (app = await bootOn(store, { providers: [Bodies, OrderTools, KnottyTools] })));

  it.each([[7], [null], [undefined], [{ name: 'lookup' }]])(
    'a tool name that is no text (%j) is a tool that does not exist, for that call only',
    async (name) => {
      const odd = { toolName: name as unknown as string, args: { order: 1 }, toolCallId: 7 as unknown as string };
      const { outcome, handle } = await app.play([[odd, call('lookup', { order: 2 })], [says('done')]]);
      expect(outcome).toMatchObject({ status: 'completed', output: 'done' });
      const said = `(${name === null ? 'null' : typeof name})`;
      expect(await app.statuses(handle.runId)).toEqual([`${said} failed`, 'lookup completed']);
      expect(app.module.get(Bodies).ran).toEqual(['lookup 2']);
      const direct = app.tools.call(name as unknown as string, {});
      await expect(direct).rejects.toThrow(UnknownToolError);
      await expect(direct).rejects.toThrow(`Tool '${said}' does not exist.`);
    },
  );

  it('a call id that is no text is replaced by one of ours', async () => {
    const odd = { toolName: 'lookup', args: { order: 1 }, toolCallId: null as unknown as string };
    const [one, two] = await app.tools.callBatch([odd, { ...odd, toolCallId: 7 as unknown as string }]);
    expect([one?.toolCallId, two?.toolCallId]).toEqual([one?.operationId, two?.operationId]);
  });

  it.each([[{}], [{ id: 7 }], [{ id: '' }]])('a principal that names nobody (%j) starts nothing', async (user) => {
    const nobody = user as unknown as Principal;
    const handle = app.runner.start({ agent: { execute: async () => ({ value: 1 }) }, input: 'go', user: nobody });
    await expect(handle.started).rejects.toThrow(InvalidQueryError);
    await expect(app.tools.call('lookup', { order: 1 }, { user: nobody })).rejects.toThrow('user.id must be a text');
    await expect(app.runner.resume({ runId: handle.runId, user: nobody }).started).rejects.toThrow(
      'nobody is signed in',
    );
    expect(app.module.get(Bodies).ran).toEqual([]);
  });

  it('a state that contains itself starts nothing', async () => {
    const request = { agent: { execute: async () => ({ value: 1 }) }, input: 'go', user: ANN, state: knotted() };
    await expect(app.runner.start(request).started).rejects.toThrow('state must be plain JSON');
    const direct = app.tools.call('lookup', { order: 1 }, { state: knotted() });
    await expect(direct).rejects.toThrow('state must be plain JSON');
    expect(app.module.get(Bodies).ran).toEqual([]);
  });

  it('a state that a tool ties a knot into ends its run, which says so and keeps the state it had', async () => {
    const { outcome, handle } = await app.play([[call('knot', {})], [says('never')]], { state: { order: 1 } });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'delivery', error: expect.any(InvalidQueryError) });
    expect(await app.statuses(handle.runId)).toEqual(['knot completed']);
    const { items } = await app.trail.terminals({ runId: handle.runId });
    expect(items).toMatchObject([{ status: 'failed', error: expect.stringContaining('state must be plain JSON') }]);
  });
});

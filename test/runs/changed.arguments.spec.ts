import {
  Decide,
  Inspector,
  Middleware,
  type OperationInspector,
  type OperationRequest,
  type ToolCall,
  type ToolMiddleware,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';
import { bootOn, STORES } from '../support/governed/stores.js';

/** Keeps the digests it was asked about, by order; refuses the order it was told to. */
@Inspector()
class Asked implements OperationInspector {
  readonly about: [order: number, digest: string][] = [];
  refuses?: number;

  inspectOperation({ argumentsDigest, args }: OperationRequest) {
    const { order } = args as { order: number };
    this.about.push([order, argumentsDigest]);
    return order === this.refuses ? Decide.reject('not that one') : Decide.accept();
  }
}

/** Starts the call once with each of these orders. */
@Middleware()
class Changing implements ToolMiddleware {
  orders: readonly number[] = [];

  async aroundTool(_: ToolCall, next: Parameters<ToolMiddleware['aroundTool']>[1]) {
    let last: unknown;
    for (const order of this.orders) last = await next({ args: { order } });
    return last;
  }
}

/** The record of one call for order 1 that a middleware starts with these orders, and what the inspector was asked. */
const changed = async (orders: readonly number[], refuses?: number) => {
  app.module.get(Changing).orders = orders;
  app.module.get(Asked).refuses = refuses;
  const { handle } = await app.play([[call('lookup', { order: 1 })], [says('done')]]);
  const [record] = await app.operations(handle.runId);
  const { about } = app.module.get(Asked);
  return { record, about, digests: about.map(([, digest]) => digest) };
};

let app: GovernedApp;
afterEach(() => app.close());

describe.each(STORES)('arguments that a middleware changes after their inspection, on %s', (store) => {
  beforeEach(async () => (app = await bootOn(store, { providers: [Bodies, OrderTools, Asked, Changing] })));

  it('are inspected once more, and the record has both digests beside what was proposed', async () => {
    const { record, about, digests } = await changed([2]);
    expect(about.map(([order]) => order)).toEqual([1, 2]);
    expect(digests[0]).not.toBe(digests[1]);
    expect(record).toMatchObject({ status: 'completed', executionStarted: true, argumentsRepr: '{"order":1}' });
    expect([record?.argumentsDigest, record?.executedDigest]).toEqual(digests);
    expect(app.module.get(Bodies).ran).toEqual(['lookup 2']);
  });

  it('have both digests on record too where the second inspection refused them', async () => {
    const { record, digests } = await changed([2], 2);
    expect(record).toMatchObject({ status: 'rejected', executionStarted: false, argumentsRepr: '{"order":1}' });
    expect([record?.argumentsDigest, record?.executedDigest]).toEqual(digests);
    expect(app.module.get(Bodies).ran).toEqual([]);
  });

  it('have the digest of the last start on record where there were several', async () => {
    const { record, digests } = await changed([2, 3]);
    expect(digests).toHaveLength(3);
    expect([record?.argumentsDigest, record?.executedDigest]).toEqual([digests[0], digests[2]]);
  });

  it('have one digest where nothing changed in the end', async () => {
    const { record, about } = await changed([2, 1]);
    expect(about.map(([order]) => order)).toEqual([1, 2, 1]);
    expect([record?.argumentsDigest, record?.executedDigest]).toEqual([about[0]?.[1], null]);
    expect((await changed([1])).record?.executedDigest).toBeNull();
  });
});

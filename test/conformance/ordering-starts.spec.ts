import { ApprovalRequired, Decide, Inspector, type OperationInspector, type OperationRequest } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { gate, readings } from './support/conversations.js';
import { playWrapped, staged, type StagedApp } from './support/staged.app.js';
import { Stage } from './support/staged.tools.js';
import { wrapping } from './support/wrappers.js';

let app: StagedApp;
afterEach(() => app.close());

/** Takes its time, and refuses one value. */
@Inspector()
class NoNines implements OperationInspector {
  async inspectOperation({ args }: OperationRequest) {
    await new Promise(setImmediate);
    return (args as { n?: number }).n === 9 ? Decide.reject('no nines') : Decide.accept();
  }
}

const NINE = { args: { n: 9 } };

describe('what the core refused stays refused, for every start of the operation', () => {
  it.each([
    ['again with the same arguments', NINE],
    ['again with those that were inspected', undefined],
  ])('where a middleware tries %s', async (_, again) => {
    const Stubborn = wrapping((_call, next) => next(NINE).catch(() => next(again)));
    app = await staged({}, { providers: [NoNines, Stubborn] });
    const told = await app.play([[call('lookup', { n: 1 })], [says('done')]]);
    expect(readings(told)).toEqual([['denied', expect.stringContaining('no nines')]]);
    expect(await app.statuses(told.handle.runId)).toEqual(['lookup rejected']);
    expect(app.module.get(Stage).ran).toEqual([]);
  });

  it('where a middleware starts twice at once: the second waits for what is said of the first', async () => {
    const Hasty = wrapping(async (_call, next) => {
      await Promise.allSettled([next(NINE), next(NINE), next()]);
      return 'hurried';
    });
    app = await staged({}, { providers: [NoNines, Hasty] });
    const told = await app.play([[call('lookup', { n: 1 })], [says('done')]]);
    expect(await app.statuses(told.handle.runId)).toEqual(['lookup rejected']);
    expect(app.module.get(Stage).ran).toEqual([]);
    expect(app.records.lines()).toEqual([]);
  });

  it('where the tool itself asked for an approval: it is not started again without one', async () => {
    const told = await playWrapped('module-wide', (_call, next) => next().catch(() => next()), {
      bodies: {
        lookup: () => {
          throw new ApprovalRequired();
        },
      },
    });
    ({ app } = told);
    expect(told.outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'lookup' }] });
    expect(told.stage.ran).toEqual(['lookup {"n":0}']);
  });
});

it('two starts that overlap have each an attempt of their own, and one operation', async () => {
  const [first, second] = [gate(), gate()];
  const seen: (readonly [number | undefined, number, string])[] = [];
  const told = await playWrapped(
    'module-wide',
    async (_call, next) => {
      await Promise.all([next({ args: { n: 1 } }), next({ args: { n: 2 } })]);
      return 'both';
    },
    {
      bodies: {
        lookup: async ({ n }, call) => {
          if (n === 1) first.open();
          else second.open();
          await Promise.all([first.opened, second.opened]);
          seen.push([n, call.attempt, call.operationId]);
        },
      },
    },
  );
  ({ app } = told);
  const operationId = told.script.results[0]?.[0]?.operationId ?? '';
  expect(seen).toEqual([
    [1, 1, operationId],
    [2, 2, operationId],
  ]);
});

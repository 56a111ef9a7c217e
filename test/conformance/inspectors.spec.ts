import {
  Decide,
  InspectionFailedError,
  InvalidArgumentsError,
  LimitExceededError,
  OperationRejectedError,
  ToolRetryError,
  type OperationRequest,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { DecidingInspector, errorOf, KeptFacts, type Answer } from './support/deciding.js';
import { LetterTools } from './support/letter.tools.js';

let app: GovernedApp;
const tools = () => app.module.get(LetterTools);

beforeEach(async () => {
  app = await boot({ providers: [LetterTools], options: { guard: { enabled: true, exempt: ['open'] } } });
});
afterEach(() => app.close());

const throwing =
  (thrown: Error): Answer =>
  () => {
    throw thrown;
  };

/** Plays one call that this answer is about, with room for a second turn that must not come. */
const judged = async (answer: Answer) => {
  const facts = new KeptFacts();
  const inspector = new DecidingInspector({ b: answer });
  const told = await app.play([[call('b')], [says('a second turn')]], { inspectors: [inspector], listeners: [facts] });
  return { ...told, facts };
};

const expectTerminal = async ({ outcome, script, facts, handle }: Awaited<ReturnType<typeof judged>>) => {
  expect(outcome).toMatchObject({ status: 'failed', stage: 'operation_inspection' });
  expect(errorOf(outcome)).toBeInstanceOf(InspectionFailedError);
  expect(facts.operations).toMatchObject([{ status: 'failed', executionStarted: false, decidedBy: 'inspector' }]);
  expect(tools().ran).toEqual([]);
  expect(script.requests).toHaveLength(1);
  expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([
    { status: 'failed', stage: 'operation_inspection' },
  ]);
};

describe('an inspector that gives no decision ends the run', () => {
  const request = {} as OperationRequest;
  it.each([
    ['[20] a TypeError', new TypeError('boom')],
    ["[21] the library's own retry signal", new ToolRetryError('try another way')],
    ['[22] the error of invalid arguments', new InvalidArgumentsError('b', ['n is missing'])],
    ['[23] a rejection that is thrown instead of returned', new OperationRejectedError({ request, reason: 'no' })],
  ])('%s is terminal, never fed back, and spends no retry', async (_, thrown) => {
    const told = await judged(throwing(thrown));
    await expectTerminal(told);
    expect(errorOf(told.outcome).cause).toBe(thrown);
    expect(told.facts.operations[0]?.outcome).toBe('failed');
    expect(JSON.stringify(told.events)).not.toContain(thrown.message);
  });

  it.each([
    ['[24] null', () => null],
    ['[25] a decision for commits', () => Decide.rewrite(9)],
  ])('%s is an invalid decision', async (_, answer) => {
    const told = await judged(answer);
    await expectTerminal(told);
    expect(errorOf(told.outcome).message).toContain('returned an invalid decision from inspectOperation');
  });

  it('[26] a promise that rejects is terminal too', async () => {
    const thrown = new Error('the policy service is down');
    const told = await judged(() => Promise.reject(thrown));
    await expectTerminal(told);
    expect(errorOf(told.outcome).cause).toBe(thrown);
  });
});

describe('what an inspector is asked', () => {
  it('[27] each call once, in emission order', async () => {
    const inspector = new DecidingInspector();
    await app.play([[call('a'), call('b')], [says('ok')]], { inspectors: [inspector] });
    expect(inspector.tools()).toEqual(['a', 'b']);
    expect(new Set(inspector.asked.map(({ operationId }) => operationId)).size).toBe(2);
  });

  it('[28] nothing about invalid arguments: the model is told, with the operation', async () => {
    const inspector = new DecidingInspector();
    const { script, handle } = await app.play([[call('checked', { n: 'seven' })], [says('ok')]], {
      inspectors: [inspector],
    });
    expect(inspector.asked).toEqual([]);
    const [failed] = script.results[0] ?? [];
    expect(failed).toMatchObject({ status: 'failed', outcome: 'retry' });
    expect(failed?.content).toContain(failed?.operationId);
    expect(await app.operations(handle.runId)).toMatchObject([{ status: 'failed', executionStarted: false }]);
  });

  it('[29] nothing about a call that was not admitted, and its schema is not asked either', async () => {
    const inspector = new DecidingInspector();
    const { outcome } = await app.play([[call('b'), call('checked', { n: 1 })]], {
      inspectors: [inspector],
      limits: { toolCalls: 1 },
    });
    expect(errorOf(outcome)).toBeInstanceOf(LimitExceededError);
    expect(inspector.tools()).toEqual(['b']);
    expect(tools().validations).toEqual([]);
  });

  it('[30] the validated arguments, not the words of the model', async () => {
    const inspector = new DecidingInspector();
    await app.play([[call('checked', '{"n":"7"}')], [says('ok')]], { inspectors: [inspector] });
    expect(inspector.asked.map(({ args }) => args)).toEqual([{ n: 7 }]);
    expect(tools().ran).toEqual(['checked 7']);
  });

  const changing: Answer = ({ args }) => {
    expect(() => Object.assign(args as object, { added: 1 })).toThrow(TypeError);
    return Decide.accept();
  };
  const boxOf = (args: unknown) => (args as { box: object }).box;

  it('[31] not gated: a frozen container around the very objects the method gets', async () => {
    const inspector = new DecidingInspector({ open: changing });
    await app.play([[call('open', { box: { size: 1 } })], [says('ok')]], { inspectors: [inspector] });
    const seen = boxOf(inspector.asked[0]?.args);
    expect(seen).toBe(boxOf(tools().received[0]));
    expect(Object.isFrozen(seen)).toBe(false);
    expect(tools().received).toEqual([{ box: { size: 1 } }]);
  });

  it('[31] gated: a deeply frozen copy that the method never sees', async () => {
    const inspector = new DecidingInspector({ wipe: changing });
    const { outcome, handle } = await app.play([[call('wipe', { box: { size: 1 } })], [says('ok')]], {
      inspectors: [inspector],
    });
    const approvals = outcome.status === 'suspended' ? outcome.approvals : [];
    await app.resumed(
      handle.runId,
      approvals.map(({ id }) => ({ approvalId: id, approved: true })),
    );
    expect(tools().received).toEqual([{ box: { size: 1 } }]);
    for (const { args } of inspector.asked) {
      expect(Object.isFrozen(boxOf(args))).toBe(true);
      expect(boxOf(args)).not.toBe(boxOf(tools().received[0]));
    }
    expect(inspector.asked.map(({ approved }) => approved)).toEqual([false, true]);
  });

  it('[32] a rejection undoes nothing: what a validator did stays done, and the body does not run', async () => {
    const inspector = new DecidingInspector({ checked: () => Decide.reject('no') });
    await app.play([[call('checked', { n: 5 })], [says('ok')]], { inspectors: [inspector] });
    expect(tools().validations).toEqual([5]);
    expect(tools().ran).toEqual([]);
  });
});

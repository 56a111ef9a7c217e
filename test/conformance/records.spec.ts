import { OperationDeliveryError, type OperationListener, type RunRequest, type TerminalRecord } from 'nest-gatehouse';
import { call, says, scriptedExecutor, type ExecutorLine } from 'nest-gatehouse/testing';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { errorOf, KeptFacts } from './support/deciding.js';
import { NestingTools } from './support/nesting.tools.js';

let app: GovernedApp;
let tools: NestingTools;
beforeEach(async () => {
  app = await boot({ providers: [NestingTools], options: { failure: { enabled: false } } });
  tools = app.module.get(NestingTools);
});
afterEach(() => app.close());

const start = (lines: readonly ExecutorLine[], request: Partial<RunRequest> = {}) =>
  app.runner.start({ agent: scriptedExecutor(lines), input: 'go', ...request });
const terminals = async (runId: string) =>
  (await app.trail.terminals({ runId })).items.map(({ status, stage, error }) => ({ status, stage, error }));
/** Throws when it is told of a run, and counts how often it was told. */
const failing = (thrown: unknown) => {
  const told: TerminalRecord[] = [];
  const listener: OperationListener = {
    runFinished: (record) => {
      told.push(record);
      throw thrown;
    },
  };
  return { told, listener };
};
const started = async (tool: string) => {
  while (!tools.ran.includes(tool)) await new Promise((resolve) => setImmediate(resolve));
};
/** What an unawaited promise came to, of either kind. */
const settled = async (promise: Promise<unknown>): Promise<unknown> => promise.catch((thrown: unknown) => thrown);

describe('the record of a run', () => {
  it('[80] is told once, after it is committed', async () => {
    const facts: unknown[] = [];
    const runFinished = async ({ runId, status }: TerminalRecord) => {
      facts.push([runId, status, (await terminals(runId)).length]);
    };
    const handle = start([[call('work')], [says('done')]], { listeners: [{ runFinished }] });
    expect(await handle.outcome).toMatchObject({ status: 'completed' });
    expect(facts).toEqual([[handle.runId, 'completed', 1]]);
  });

  it('[81] a listener that throws on a completed run is heard by the caller; the record stands, nothing is told again', async () => {
    const thrown = new Error('no room');
    const { told, listener } = failing(thrown);
    const handle = start([[says('done')]], { listeners: [listener] });
    await expect(handle.outcome).rejects.toBe(thrown);
    expect(told).toHaveLength(1);
    expect(thrown.cause).toBeUndefined();
    expect(await terminals(handle.runId)).toEqual([{ status: 'completed', stage: null, error: null }]);
  });

  it('every listener is told, whatever the one before it did', async () => {
    const { listener } = failing(new Error('no room'));
    const facts = new KeptFacts();
    await settled(start([[says('done')]], { listeners: [listener, facts] }).outcome);
    expect(facts.runs.map(({ status }) => status)).toEqual(['completed']);
  });

  it('[82] [83] an operation that could not be told of fails the run, is not run again, and keeps its real status', async () => {
    const cause = new Error('no room');
    const facts = new KeptFacts();
    const operationFinished = () => {
      throw cause;
    };
    const handle = start([[call('work')], [says('never')]], { listeners: [facts, { operationFinished }] });
    const outcome = await handle.outcome;
    const error = errorOf(outcome);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'delivery' });
    expect(error).toBeInstanceOf(OperationDeliveryError);
    const { finished, deliveryCause } = error as OperationDeliveryError;
    expect(finished).toBe(facts.operations[0]);
    expect(finished.status).toBe('completed');
    expect(deliveryCause).toBe(cause);
    expect(tools.ran).toEqual(['work for undefined of undefined']);
  });

  it('[84] a failed run keeps its own error outward; what a listener threw is its cause', async () => {
    const lost = new Error('no room');
    const { listener } = failing(lost);
    const outcome = await start([[call('fail')]], { listeners: [listener] }).outcome;
    expect(outcome).toMatchObject({ status: 'failed', error: { message: 'kaboom' } });
    expect(errorOf(outcome).cause).toBe(lost);
  });

  it('[85] a cancelled run tells of it, and the caller sees the very reason that its tools saw', async () => {
    const facts = new KeptFacts();
    const seen: unknown[] = [];
    tools.nesting = (_, { signal }) => {
      signal.addEventListener('abort', () => seen.push(signal.reason));
      return new Promise(() => undefined);
    };
    const handle = start([[call('nest')]], { listeners: [facts] });
    await started('nest');
    await handle.cancel('enough');
    const outcome = await handle.outcome;
    expect(outcome).toMatchObject({ status: 'cancelled', error: { source: 'requested', reason: 'enough' } });
    expect(seen).toEqual([errorOf(outcome)]);
    expect(seen[0]).toBe(errorOf(outcome));
    expect(facts.runs).toMatchObject([{ status: 'cancelled', source: 'requested', reason: 'enough' }]);
  });

  it('[86] and a listener that throws then is the cause of that reason', async () => {
    const lost = new Error('no room');
    const { listener } = failing(lost);
    const handle = start([[call('patient')]], { listeners: [listener] });
    await started('patient');
    await handle.cancel('enough');
    const outcome = await handle.outcome;
    expect(outcome).toMatchObject({ status: 'cancelled', error: { reason: 'enough' } });
    expect(errorOf(outcome).cause).toBe(lost);
  });

  it("[87] a listener that throws the run's own error changes nothing, and the error is not its own cause", async () => {
    const own = new Error('kaboom');
    const { told, listener } = failing(own);
    const outcome = await start([() => Promise.reject(own)], { listeners: [listener] }).outcome;
    expect(errorOf(outcome)).toBe(own);
    expect(own.cause).toBeUndefined();
    expect(told).toHaveLength(1);
  });

  it('[88] a run that cannot be prepared has a record, with its id', async () => {
    class Unmakeable {
      constructor() {
        throw new Error('no policy file');
      }

      inspectCommit(): never {
        throw new Error('never asked');
      }
    }
    const handle = start([[says('never')]], { inspectors: [Unmakeable] });
    const outcome = await handle.outcome;
    expect(outcome).toMatchObject({ status: 'failed', stage: 'preparation', error: { message: 'no policy file' } });
    expect(await terminals(handle.runId)).toEqual([
      { status: 'failed', stage: 'preparation', error: 'Error: no policy file' },
    ]);
  });

  it('[94] cannot be changed by the host; what it holds are the very facts', async () => {
    await app.close();
    app = await boot({ providers: [NestingTools] });
    const facts = new KeptFacts();
    await start([[call('fail')], [says('done')]], { listeners: [facts] }).outcome;
    const [record] = facts.runs;
    expect(() => Object.assign(record ?? {}, { status: 'failed' })).toThrow(TypeError);
    expect(() => (record?.failedOperations as unknown[]).pop()).toThrow(TypeError);
    expect(record?.failedOperations[0]).toBe(facts.operations[0]);
  });
});

describe('whose record it is', () => {
  it('[90] each run has an id of its own, one after another and at once', async () => {
    const facts = new KeptFacts();
    const one = () => start([[says('done')]], { listeners: [facts] }).outcome;
    await one();
    await one();
    await Promise.all([one(), one()]);
    expect(new Set(facts.runs.map(({ runId }) => runId)).size).toBe(4);
    expect(new Set(facts.runs.map(({ agent }) => agent)).size).toBe(1);
  });

  it('[91] listeners are captured when the run starts', async () => {
    const first = new KeptFacts();
    const second = new KeptFacts();
    const listeners: OperationListener[] = [first];
    const handle = start(
      [
        () => {
          listeners.splice(0, 1, second);
          return [says('done')];
        },
      ],
      { listeners },
    );
    await handle.outcome;
    expect([first.runs.length, second.runs.length]).toEqual([1, 0]);
  });

  it("[92] a run's own listeners are not told of what it starts, nor of runs after it", async () => {
    const facts = new KeptFacts();
    tools.nesting = (nested) => nested({ agent: scriptedExecutor([[call('work')], [says('ok')]]) }).result();
    const handle = start([[call('nest')], [says('done')]], { listeners: [facts] });
    await handle.outcome;
    await start([[call('work')], [says('done')]]).outcome;
    expect(facts.statuses()).toEqual(['nest completed']);
    expect(facts.runs.map(({ runId }) => runId)).toEqual([handle.runId]);
  });

  it('[95] the record of an inner run is told before that of the outer', async () => {
    const facts = new KeptFacts();
    tools.nesting = (nested) => nested({ agent: scriptedExecutor([[says('ok')]]), listeners: [facts] }).result();
    const handle = start([[call('nest')], [says('done')]], { listeners: [facts] });
    await handle.outcome;
    expect(facts.runs.map(({ runId }) => runId)).toEqual([tools.children[0]?.runId, handle.runId]);
    expect(facts.runs[0]?.parentRunId).toBe(handle.runId);
  });

  it('[96] an executor that swallows a failure leaves it in the ledger, once', async () => {
    const facts = new KeptFacts();
    const handle = start(
      [
        async (run) => {
          await run.call('fail').catch(() => undefined);
          return [says('done')];
        },
      ],
      { listeners: [facts] },
    );
    expect(await handle.outcome).toMatchObject({ status: 'completed' });
    expect(await app.statuses(handle.runId)).toEqual(['fail failed']);
    expect(facts.runs[0]?.failedOperations).toEqual([facts.operations[0]]);
  });
});

import { Decide, type CommitDecision, type OperationInspector, type OutputSpec, type RunCommit } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { rejecting } from './support/deciding.js';
import { LetterTools } from './support/letter.tools.js';
import { gives, givesCall } from './support/output.script.js';

/** Decides about results, and keeps what it was asked. */
class Committing implements OperationInspector {
  readonly asked: RunCommit[] = [];

  constructor(private readonly answer: (commit: RunCommit) => unknown) {}

  inspectCommit(commit: RunCommit): CommitDecision {
    this.asked.push(commit);
    return this.answer(commit) as CommitDecision;
  }
}

let app: GovernedApp;
let validations: unknown[];
const bodies = () => app.module.get(LetterTools).ran;
const output: OutputSpec = {
  schema: z
    .number()
    .nullable()
    .refine((value) => validations.push(value)),
};
type Lines = Parameters<GovernedApp['play']>[0];
const play = (lines: Lines, inspector: OperationInspector, spec: OutputSpec = output) =>
  app.play(lines, { output: spec, inspectors: [inspector] });
const accepting = () => new Committing(() => Decide.accept());

beforeEach(async () => {
  validations = [];
  app = await boot({ providers: [LetterTools] });
});
afterEach(() => app.close());

describe('the call of an output', () => {
  it('[61] is refused as any call is; the model corrects itself for one output retry', async () => {
    const { script, outcome } = await play([[givesCall('forbidden')], [gives(2)]], rejecting('forbidden'), {
      ...output,
      retries: 1,
    });
    const [refused] = script.results[0] ?? [];
    expect(refused).toMatchObject({ status: 'rejected', outcome: 'denied' });
    expect(JSON.parse(refused?.content ?? '')).toMatchObject({ message: 'No forbidden.', executionStarted: false });
    expect(outcome).toMatchObject({ status: 'completed', output: 2 });
    const { outcome: again } = await play([[givesCall('forbidden')]], rejecting('forbidden'), {
      ...output,
      retries: 0,
    });
    expect(again).toMatchObject({ status: 'failed', error: { limit: 'outputRetries', allowed: 0 } });
    expect(bodies()).toEqual([]);
  });

  it('[62] is made exactly once, also where a commit inspector looks at what it gave', async () => {
    const inspector = accepting();
    const { outcome } = await play([[givesCall('add', { x: 1, y: 3 })]], inspector);
    expect(bodies()).toEqual(['add 1 3']);
    expect(inspector.asked.map((commit) => commit.output)).toEqual([4]);
    expect(outcome).toMatchObject({ status: 'completed', output: 4 });
  });
});

describe('commit inspection', () => {
  it('[63] an accepted result is validated once', async () => {
    const { outcome } = await play([[gives(4)]], accepting());
    expect(validations).toEqual([4]);
    expect(outcome).toMatchObject({ output: 4 });
  });

  it('[64] a rewrite takes the place of the result: validated, and not inspected again', async () => {
    const inspector = new Committing(() => Decide.rewrite(9));
    const { outcome } = await play([[gives(4)]], inspector);
    expect(outcome).toMatchObject({ status: 'completed', output: 9 });
    expect(validations).toEqual([4, 9]);
    expect(inspector.asked).toHaveLength(1);
  });

  it('[66] a rewrite without a value cannot be made', () => {
    expect(() => (Decide.rewrite as unknown as () => unknown)()).toThrow(TypeError);
  });

  it('[69] a rewrite that is no result fails the run where it was validated', async () => {
    const { outcome } = await play([[gives(4)]], new Committing(() => Decide.rewrite('nine')));
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'rewrite_validation',
      error: { name: 'InvalidOutputError' },
    });
  });

  it('[70] null is a value of its own', async () => {
    const { outcome } = await play([[gives(4)]], new Committing(() => Decide.rewrite(null)));
    expect(outcome).toMatchObject({ status: 'completed', output: null });
  });

  it('[71] an abort ends the run; the model is not asked again', async () => {
    const { outcome, script } = await play([[gives(4)]], new Committing(() => Decide.abort('no')));
    expect(outcome).toMatchObject({
      status: 'aborted',
      stage: 'commit_inspection',
      error: { name: 'RunAbortedError', subject: 'step_commit', reason: 'no' },
    });
    expect(script.requests).toHaveLength(1);
  });

  it('[72] a rejection is no decision about a result', async () => {
    const { outcome } = await play([[gives(4)]], new Committing(() => Decide.reject('no')));
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'commit_inspection',
      error: { name: 'InspectionFailedError' },
    });
  });

  it('[73] an inspector that throws fails the run', async () => {
    const broken = new Error('broken');
    const { outcome } = await play(
      [[gives(4)]],
      new Committing(() => {
        throw broken;
      }),
    );
    expect(outcome).toMatchObject({ status: 'failed', stage: 'commit_inspection', error: { cause: broken } });
  });

  it('[74] can refuse a result that ignores a failure', async () => {
    const strict = new Committing(({ failedOperations }) =>
      failedOperations.length > 0 ? Decide.abort('something failed') : Decide.accept(),
    );
    const { outcome } = await play([[call('boom')], [gives(4)]], strict);
    expect(outcome).toMatchObject({
      status: 'aborted',
      stage: 'commit_inspection',
      error: { reason: 'something failed' },
    });
  });

  it('an output that was not accepted is no failed operation', async () => {
    const inspector = accepting();
    await play([[gives('four')], [gives(4)]], inspector);
    expect(inspector.asked[0]?.failedOperations).toEqual([]);
  });

  it('[78] an outcome that is not allowed is refused before anybody inspects it', async () => {
    const inspector = accepting();
    const { outcome } = await play([{ raise: new Error('mine') }], inspector);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'outcome_validation' });
    expect(inspector.asked).toEqual([]);
  });
});

describe('the value of an executor of its own', () => {
  it('is validated, and fails the run where it is no result', async () => {
    const { outcome } = await play([{ value: 'four' }], accepting());
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'output_validation',
      error: { name: 'InvalidOutputError' },
    });
  });

  it('is what the schema makes of it', async () => {
    const { outcome } = await play([{ value: '4' }], accepting(), { schema: z.coerce.number() });
    expect(outcome).toMatchObject({ status: 'completed', output: 4 });
  });

  it('is what it says, where no output is asked for', async () => {
    const { outcome } = await app.play([[says('four')]]);
    expect(outcome).toMatchObject({ status: 'completed', output: 'four', text: 'four' });
  });
});

import { ApprovalRequired, CallDeferred, ToolRetryError } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { readings } from './support/conversations.js';
import { staged, toolLines, type StagedApp } from './support/staged.app.js';
import { Stage, type Body } from './support/staged.tools.js';

let app: StagedApp;
afterEach(() => app.close());

const throwing =
  (make: () => Error): Body =>
  () => {
    throw make();
  };
const ONE_BOOM = [[call('boom', { n: 0 }, 'b1')], [says('done')]] as const;
const failures = () => app.logged('gatehouse.failure');

describe('a tool that throws', () => {
  it('[182] does not end the run: the model gets one result, failed, that names the tool', async () => {
    app = await staged();
    const told = await app.play(ONE_BOOM);
    expect(told.outcome).toEqual({ status: 'completed', output: 'done', text: 'done' });
    const operationId = told.script.results[0]?.[0]?.operationId;
    expect(readings(told)).toEqual([
      ['failed', `Tool 'boom' failed (operation ${operationId}). Do not repeat this call.`],
    ]);
  });

  it('[183] tells the model neither class nor message, and that the call must not be repeated', async () => {
    app = await staged({ boom: throwing(() => new RangeError('hunter2')) });
    const [[, content] = []] = readings(await app.play(ONE_BOOM));
    expect(content).toMatch(/^Tool 'boom' failed \(operation [0-9a-f-]{36}\)\. Do not repeat this call\.$/);
  });

  it('[184] with includeDetail tells class and message, and says nothing of repeating', async () => {
    app = await staged(
      { boom: throwing(() => new RangeError('hunter2')) },
      { options: { failure: { includeDetail: true } } },
    );
    const [[, content] = []] = readings(await app.play(ONE_BOOM));
    expect(content).toMatch(/^Tool 'boom' failed \(operation [0-9a-f-]{36}\): RangeError: hunter2$/);
  });

  it('[185] with the policy off ends the run with that very object', async () => {
    const error = new RangeError('kaboom');
    app = await staged({ boom: throwing(() => error) }, { options: { failure: { enabled: false } } });
    const { outcome } = await app.play(ONE_BOOM);
    expect(outcome).toEqual({ status: 'failed', stage: 'executor', error });
    expect(outcome.status === 'failed' && outcome.error).toBe(error);
    expect(failures()).toEqual([]);
  });

  it('[186] is logged once, whole, with its stack', async () => {
    const error = new RangeError('postgres://desk:hunter2@db');
    app = await staged({ boom: throwing(() => error) });
    const { handle, script } = await app.play(ONE_BOOM);
    const where = `operation ${script.results[0]?.[0]?.operationId}, run ${handle.runId}`;
    expect(failures()).toEqual([
      {
        level: 'error',
        context: 'gatehouse.failure',
        message: `Tool 'boom' failed: RangeError: postgres://desk:hunter2@db (${where}). The run goes on.`,
        stack: error.stack,
      },
    ]);
  });

  it('[206] costs the other calls of its response nothing', async () => {
    app = await staged();
    const told = await app.play([[call('boom', { n: 0 }), call('lookup', { n: 1 })], [says('done')]]);
    expect(readings(told)).toEqual([
      ['failed', expect.stringContaining("Tool 'boom' failed")],
      ['success', 'found'],
    ]);
  });

  it('[208] again and again is stopped by a limit, not by the policy', async () => {
    app = await staged({}, { options: { limits: { steps: 3 } } });
    const boom = () => [call('boom', { n: 0 })];
    const { outcome } = await app.play([boom(), boom(), boom(), boom()]);
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'limit',
      error: { name: 'LimitExceededError', limit: 'steps', allowed: 3 },
    });
    expect(app.module.get(Stage).ran).toHaveLength(3);
    expect(failures()).toHaveLength(3);
  });
});

describe('what is no failure', () => {
  it('[187] a retry signal within its budget: the model calls again, the policy is silent', async () => {
    app = await staged({
      lookup: ({ n }) => {
        if (n === 0) throw new ToolRetryError('not zero');
        return 'found';
      },
    });
    const told = await app.play([[call('lookup', { n: 0 })], [call('lookup', { n: 1 })], [says('done')]]);
    expect(readings(told, 0)).toEqual([['retry', 'not zero']]);
    expect(readings(told, 1)).toEqual([['success', 'found']]);
    expect(app.module.get(Stage).ran).toEqual(['lookup {"n":0}', 'lookup {"n":1}']);
    expect(failures()).toEqual([]);
  });

  it('[188] a tool that asks for an approval: the run waits, nothing is converted', async () => {
    app = await staged({ boom: throwing(() => new ApprovalRequired()) });
    const { outcome } = await app.play(ONE_BOOM);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'boom' }] });
    expect(failures()).toEqual([]);
  });

  it('[189] a tool that hands its call to somebody else: the run waits, nothing is converted', async () => {
    app = await staged({ boom: throwing(() => new CallDeferred()) });
    const { outcome } = await app.play(ONE_BOOM);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [], deferred: [{ toolName: 'boom' }] });
    expect(failures()).toEqual([]);
  });
});

describe("a tool's own retry budget", () => {
  const again = new ToolRetryError('again');

  it('[196] once spent is a failure like any other: converted, logged once, and the run goes on', async () => {
    app = await staged({ once: throwing(() => again) });
    const told = await app.play([[call('once', { n: 0 })], [says('done')]]);
    expect(told.outcome.status).toBe('completed');
    expect(readings(told)).toEqual([['failed', expect.stringMatching(/^Tool 'once' failed .* Do not repeat/)]]);
    expect(failures().map(({ message }) => message)).toEqual([
      expect.stringContaining("RetryBudgetExceededError: Tool 'once' exceeded max retries count of 0"),
    ]);
  });

  it('[197] is granted nothing by that: three calls run three times, three failures', async () => {
    app = await staged({ once: throwing(() => again) });
    const once = [call('once', { n: 0 })];
    const told = await app.play([once, once, once, [says('done')]]);
    expect(app.module.get(Stage).ran).toHaveLength(3);
    expect(told.script.results.flatMap((results) => results.map(({ outcome }) => outcome))).toEqual([
      'failed',
      'failed',
      'failed',
    ]);
    expect(toolLines(app)).toHaveLength(3);
  });
});

import {
  Decide,
  RestoredError,
  RunStoppedError,
  TerminalOperationError,
  type OperationFinished,
  type OutputSpec,
  type RunCommit,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { freshDatabase } from '../support/postgres.js';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';
import { rejecting } from './support/deciding.js';
import { DomainError, FailingTools, RaisingAgent } from './support/failing.tools.js';
import { gives, lastOperationId, raises } from './support/output.script.js';

const output: OutputSpec = { schema: z.string(), allowRaise: true };
const apps: GovernedApp[] = [];
afterEach(() => Promise.all(apps.splice(0).map((app) => app.close())));

const start = async (failure: { includeDetail?: boolean } = { includeDetail: true }) => {
  const app = await boot({ providers: [FailingTools], options: { failure } });
  apps.push(app);
  const failing = app.module.get(FailingTools);
  const throwing = (thrown: unknown) => void (failing.thrown = thrown);
  return { app, failing, throwing };
};
const kept = () => {
  const commits: RunCommit[] = [];
  return { commits, inspector: { inspectCommit: (commit: RunCommit) => (commits.push(commit), Decide.accept()) } };
};
const idsOf = (operations: readonly OperationFinished[] | undefined) =>
  operations?.map(({ request }) => request.operationId);

describe('what a model is told of a failure', () => {
  it('[46] with detail: the operation id, the class and the message', async () => {
    const { app } = await start();
    const { script } = await app.play([[call('fail')], [says('ok')]]);
    const [result] = script.results[0] ?? [];
    expect(result).toMatchObject({
      status: 'failed',
      outcome: 'failed',
      content: `Tool 'fail' failed (operation ${result?.operationId}): DomainError: bad`,
    });
  });

  it('[47] a long message is cut to 500 characters, and says so', async () => {
    const { app, throwing } = await start();
    throwing(new DomainError('x'.repeat(100_000)));
    const { script } = await app.play([[call('fail')], [says('ok')]]);
    const content = script.results[0]?.[0]?.content ?? '';
    const detail = content.slice(content.indexOf('DomainError'));
    expect(detail).toHaveLength(500);
    expect(detail).toMatch(/^DomainError: x+ \[truncated: \d+ characters\]$/);
  });

  it('[60] a message that cannot be read costs only the message', async () => {
    class Hostile extends Error {
      override get message(): string {
        throw new Error('trap');
      }
    }
    const { app, throwing } = await start();
    throwing(new Hostile());
    const { script, outcome } = await app.play([[call('fail')], [says('ok')]]);
    expect(script.results[0]?.[0]?.content).toMatch(/: Hostile: \[unreadable message\]$/);
    expect(outcome.status).toBe('completed');
  });
});

describe('failed operations that the run recovered from', () => {
  it('[48] are listed for the commit inspectors and in the terminal record', async () => {
    const { app } = await start();
    const { commits, inspector } = kept();
    const records: unknown[] = [];
    const { script } = await app.play([[call('fail'), call('work')], [says('ok')]], {
      inspectors: [inspector],
      listeners: [
        { runFinished: ({ status, failedOperations }) => void records.push([status, idsOf(failedOperations)]) },
      ],
    });
    const failed = [script.results[0]?.[0]?.operationId];
    expect(idsOf(commits[0]?.failedOperations)).toEqual(failed);
    expect(records).toEqual([['completed', failed]]);
  });

  it('[49] stay listed when the call is corrected', async () => {
    const { app, failing } = await start();
    const { commits, inspector } = kept();
    const { script } = await app.play([[call('fail')], [call('work')], [says('ok')]], { inspectors: [inspector] });
    expect(failing.ran).toEqual(['fail', 'work']);
    expect(idsOf(commits[0]?.failedOperations)).toEqual([script.results[0]?.[0]?.operationId]);
  });
});

describe('ending with the error of a failed operation', () => {
  it('[50] throws that very object', async () => {
    const { app, throwing } = await start();
    const error = new DomainError('bad');
    throwing(error);
    const { commits, inspector } = kept();
    const told = await app.play([[call('fail')], (run) => [raises(lastOperationId(run))]], {
      output,
      inspectors: [inspector],
    });
    expect(told.outcome.status).toBe('raised');
    await expect(told.handle.result()).rejects.toBe(error);
    expect(commits.map((commit) => [commit.outcome, commit.output])).toEqual([['raise', error]]);
    expect((await app.trail.terminals({ runId: told.handle.runId })).items).toMatchObject([
      { status: 'raised', error: 'DomainError: bad' },
    ]);
  });

  it('[50] also after a resume in the same process', async () => {
    const app = await boot({ providers: [FailingTools, RaisingAgent] });
    apps.push(app);
    const handle = app.runner.start({ agent: 'raiser', input: 'go', user: ANN });
    const outcome = await handle.outcome;
    if (outcome.status !== 'suspended') throw new Error(outcome.status);
    const decisions = outcome.approvals.map(({ id }) => ({ approvalId: id, approved: true }));
    const resumed = await app.resumed(handle.runId, decisions);
    expect(resumed.outcome.status).toBe('raised');
    expect('error' in resumed.outcome && resumed.outcome.error).toBe(app.module.get(FailingTools).thrown);
  });

  it('[50] after a resume in another process: its name, message and stack', async () => {
    const database = await freshDatabase(await migratedTemplate());
    const boots = () => bootOnUrl(database.url, { providers: [FailingTools, RaisingAgent] });
    try {
      const one = await boots();
      const thrown = one.module.get(FailingTools).thrown as Error;
      const handle = one.runner.start({ agent: 'raiser', input: 'go', user: ANN });
      const outcome = await handle.outcome;
      if (outcome.status !== 'suspended') throw new Error(outcome.status);
      await one.close();
      const two = await boots();
      const decisions = outcome.approvals.map(({ id }) => ({ approvalId: id, approved: true }));
      const resumed = await two.resumed(handle.runId, decisions);
      await two.close();
      expect(resumed.outcome).toMatchObject({
        status: 'raised',
        error: { name: 'DomainError', message: 'bad', stack: thrown.stack },
      });
      expect('error' in resumed.outcome && resumed.outcome.error).toBeInstanceOf(RestoredError);
    } finally {
      await database.drop();
    }
  });

  it('[51] an id nobody knows is no output: it costs a retry, and the run goes on', async () => {
    const { app } = await start();
    const nobody = '00000000-0000-7000-8000-000000000000';
    const lines = [[raises(nobody)], [gives('fine')]];
    const { script, outcome } = await app.play(lines, { output: { ...output, retries: 1 } });
    expect(script.results[0]?.[0]).toMatchObject({ status: 'failed', outcome: 'retry' });
    expect(script.results[0]?.[0]?.content).toContain('must be the id of an operation that failed');
    expect(outcome).toMatchObject({ status: 'completed', output: 'fine' });
    const { outcome: none } = await app.play(lines, { output: { ...output, retries: 0 } });
    expect(none).toMatchObject({ stage: 'output_validation', error: { limit: 'outputRetries' } });
  });

  it('[52] only operations that failed qualify', async () => {
    const { app } = await start();
    const ids: string[] = [];
    const { script, outcome } = await app.play(
      [
        [call('work')],
        [call('fail')],
        ({ messages }) => {
          const text = JSON.stringify(messages);
          expect(text).toContain('found');
          return [raises(ids[0] ?? ''), raises(ids[1] ?? '')];
        },
        [gives('fine')],
      ],
      {
        output,
        inspectors: [rejecting('fail')],
        listeners: [{ operationFinished: ({ request }) => void ids.push(request.operationId) }],
      },
    );
    expect(script.results[2]?.map(({ outcome: told }) => told)).toEqual(['retry', 'retry']);
    expect(outcome).toMatchObject({ status: 'completed', output: 'fine' });
  });

  it('[53] where raising is not allowed it is not offered, and fails the validation of the outcome', async () => {
    const { app } = await start();
    const offered: unknown[] = [];
    const { outcome } = await app.play(
      [
        [call('fail')],
        (run) => {
          offered.push(Object.keys(run.tools().at(-1)?.parameters['properties'] ?? {}));
          return [raises(lastOperationId(run))];
        },
      ],
      { output: { schema: z.string(), retries: 0 } },
    );
    expect(offered).toEqual([['return', 'returnCall']]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'outcome_validation' });
  });

  it('[54] an executor of its own catches the error and raises it unchanged', async () => {
    const { app, throwing } = await start();
    const error = new DomainError('bad');
    throwing(error);
    const { outcome, handle } = await app.play([
      async (run) => ({
        raise: await run.call('fail').then(
          () => new Error('worked'),
          (thrown: Error) => thrown,
        ),
      }),
    ]);
    expect(outcome).toMatchObject({ status: 'raised' });
    expect('error' in outcome && outcome.error).toBe(error);
    expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([{ status: 'raised' }]);
  });
});

describe('what no model may handle', () => {
  it('[58] a TerminalOperationError ends the run: no feedback, no later sibling', async () => {
    class Fatal extends TerminalOperationError {}
    const fatal = new Fatal('the disk is gone');
    const { app, failing, throwing } = await start();
    throwing(fatal);
    const { outcome, script, handle } = await app.play([[call('fail'), call('work')]], {
      limits: { parallelToolCalls: 1 },
    });
    expect(outcome).toMatchObject({ status: 'failed' });
    expect('error' in outcome && outcome.error).toBe(fatal);
    expect(script.requests).toHaveLength(1);
    expect(failing.ran).toEqual(['fail']);
    expect(await app.statuses(handle.runId)).toEqual(['fail failed', 'work skipped by fail']);
    expect((await app.trail.terminals({ runId: handle.runId })).items).toMatchObject([
      { status: 'failed', error: 'Fatal: the disk is gone' },
    ]);
  });

  it("[59] the host's stop wins over an earlier output of the same response", async () => {
    const { app, throwing } = await start();
    const stop = new RunStoppedError('over budget');
    throwing(stop);
    const { outcome, handle } = await app.play([[gives('fine'), call('fail')]], { output });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit' });
    expect('error' in outcome && outcome.error).toBe(stop);
    expect(await app.statuses(handle.runId)).toEqual(['final_output skipped by fail', 'fail failed']);
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { OperationRejectedError, type OutputSpec, type RunContext } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { errorOf, KeptFacts, rejecting } from './support/deciding.js';
import { LetterTools } from './support/letter.tools.js';
import { givesCall } from './support/output.script.js';

let app: GovernedApp;
const bodies = () => app.module.get(LetterTools).ran;
beforeEach(async () => {
  app = await boot({ providers: [LetterTools] });
});
afterEach(() => app.close());

describe('refusals and limits', () => {
  it('[97] a model whose every proposal is refused is ended by the limit of steps', async () => {
    const again = [call('b')];
    const { outcome, script } = await app.play([again, again, again], {
      inspectors: [rejecting('b')],
      limits: { steps: 2 },
    });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'steps', allowed: 2 } });
    expect(script.requests).toHaveLength(2);
    expect(bodies()).toEqual([]);
  });

  it('[98] a refused call counts as a request and a tool call, like any other', async () => {
    const facts = new KeptFacts();
    await app.play([[call('a'), call('b'), call('c')], [says('done')]], {
      inspectors: [rejecting('b')],
      listeners: [facts],
    });
    expect(facts.runs[0]?.usage).toMatchObject({ requests: 2, toolCalls: 2 });
  });

  it('[99] an output refused more often than its retries allow fails the run', async () => {
    const output: OutputSpec = { schema: z.number(), retries: 2 };
    const refused = [givesCall('forbidden')];
    const { outcome, script, handle } = await app.play([refused, refused, refused], {
      output,
      inspectors: [rejecting('forbidden')],
    });
    expect(outcome).toMatchObject({
      status: 'failed',
      stage: 'output_validation',
      error: { name: 'LimitExceededError', limit: 'outputRetries', allowed: 2, runId: handle.runId },
    });
    expect(errorOf(outcome).cause).toMatchObject({ name: 'InvalidOutputError' });
    expect(script.requests).toHaveLength(3);
    expect(bodies()).toEqual([]);
  });

  it('[100] after a refusal the run goes on with the same state and the same limits', async () => {
    const seen: Pick<RunContext, 'state' | 'limits'>[] = [];
    const basket = { items: 2 };
    const noting = (run: RunContext) => void seen.push({ state: run.state, limits: run.limits });
    await app.play(
      [
        (run) => {
          run.state['basket'] = basket;
          noting(run);
          return [call('b')];
        },
        (run) => {
          noting(run);
          return [says('done')];
        },
      ],
      { inspectors: [rejecting('b')] },
    );
    expect(seen).toHaveLength(2);
    expect(seen[1]?.state).toBe(seen[0]?.state);
    expect(seen[1]?.state['basket']).toBe(basket);
    expect(seen[1]?.limits).toBe(seen[0]?.limits);
  });

  it('[101] a refusal that an executor of its own does not handle propagates: no loop, no replay', async () => {
    const inspector = rejecting('b');
    const { outcome, script } = await app.play(
      [
        async (run) => {
          await run.call('b');
          return [says('never')];
        },
      ],
      { inspectors: [inspector] },
    );
    expect(outcome.status).toBe('failed');
    expect(errorOf(outcome)).toBeInstanceOf(OperationRejectedError);
    expect(inspector.tools()).toEqual(['b']);
    expect(script.requests).toHaveLength(1);
  });

  it('[102] two runs at once with inspectors of their own: each sees only its own operations', async () => {
    const one = rejecting('b');
    const other = rejecting('a');
    const interleaved = (name: string) => async () => {
      await turn();
      return [call(name)];
    };
    const [first, second] = await Promise.all([
      app.play([interleaved('a'), interleaved('b'), [says('done')]], { inspectors: [one] }),
      app.play([interleaved('c'), interleaved('a'), [says('done')]], { inspectors: [other] }),
    ]);
    expect(one.asked.map(({ toolName, runId }) => [toolName, runId])).toEqual([
      ['a', first.handle.runId],
      ['b', first.handle.runId],
    ]);
    expect(other.asked.map(({ toolName, runId }) => [toolName, runId])).toEqual([
      ['c', second.handle.runId],
      ['a', second.handle.runId],
    ]);
    expect(await app.statuses(first.handle.runId)).toEqual(['a completed', 'b rejected']);
    expect(await app.statuses(second.handle.runId)).toEqual(['c completed', 'a rejected']);
  });
});

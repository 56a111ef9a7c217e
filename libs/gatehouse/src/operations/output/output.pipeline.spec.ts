import { RunCancelledError } from '../../contracts/errors/run-cancelled.error.js';
import type { Operation } from '../operation.js';
import type { OperationFactory } from '../operation.factory.js';
import type { OperationPipeline } from '../operation.pipeline.js';
import { RunLedger } from '../run.ledger.js';
import type { RunScope } from '../run.scope.js';
import { outputContract } from './output.contract.js';
import { checkOutput, OutputPipeline } from './output.pipeline.js';

const NUMBER = { type: 'number' } as const;
const contract = (more: object = {}) => outputContract({ schema: NUMBER, ...more }, 'the agent');
const proposing = (proposed: unknown) => ({ id: 'o1', proposed, step: 1 }) as Operation;
const scope = (check: () => void = () => undefined) =>
  ({ fence: { check }, ledger: new RunLedger(), limits: { outputRetries: 1 } }) as unknown as RunScope;

// An output without a call asks neither of them.
const outputs = new OutputPipeline({} as OperationPipeline, {} as OperationFactory);

describe('an output proposal', () => {
  it('that keeps the schema may win', async () => {
    expect(await outputs.evaluate(proposing('{"return":4}'), scope(), contract())).toEqual({ candidate: { value: 4 } });
  });

  it('of a run that was cancelled meanwhile is skipped, and the run ends by that', async () => {
    const error = new RunCancelledError('requested');
    const verdict = await outputs.evaluate(
      proposing('{"return":4}'),
      scope(() => {
        throw error;
      }),
      contract(),
    );
    expect(verdict).toMatchObject({ ending: { status: 'skipped', decidedBy: 'limit', error, ends: { error } } });
  });

  it.each([
    ['{"return":"four"}', {}, 'output_validation', 'return: must be number'],
    ['{}', {}, 'output_validation', 'pass exactly one of return, returnCall and raise'],
    ['{"raise":"o0"}', {}, 'outcome_validation', 'raise: is not allowed here'],
    ['{"raise":"o0"}', { allowRaise: true }, 'output_validation', 'raise: must be the id of an operation that failed'],
  ])('%s with %j costs a retry, and ends the run once they are spent', async (text, more, stage, problem) => {
    const running = scope();
    const first = await outputs.evaluate({ ...proposing(text), step: 1 } as Operation, running, contract(more));
    expect(first).toMatchObject({ ending: { status: 'failed', outcome: 'retry', ends: undefined } });
    expect(first).toMatchObject({ ending: { content: expect.stringContaining(problem) } });
    const second = await outputs.evaluate({ ...proposing(text), step: 2 } as Operation, running, contract(more));
    expect(second).toMatchObject({ ending: { ends: { stage, error: { name: 'LimitExceededError' } } } });
    const own = await outputs.evaluate(proposing(text), scope(), contract({ ...more, retries: 0 }));
    expect(own).toMatchObject({ ending: { ends: { stage } } });
  });

  it('is accepted by no schema that breaks', async () => {
    const broken = {
      ...contract(),
      validate: () => {
        throw new Error('no connection to 10.0.0.1');
      },
    };
    const refused = { ok: false, problems: ['return: could not be validated'] };
    expect(await checkOutput(broken, 4)).toEqual(refused);
    expect(await checkOutput({ ...broken, validate: () => Promise.reject(new Error('late')) }, 4)).toEqual(refused);
  });
});

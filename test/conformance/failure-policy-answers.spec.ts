import { Injectable } from '@nestjs/common';
import { ConfigurationError, Tool, ToolFailurePolicy } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';

let answers: { ends: () => unknown; result: () => unknown };

@Injectable()
class Answering extends ToolFailurePolicy {
  override endsRun(): boolean {
    return answers.ends() as boolean;
  }

  override toResult(): string {
    return answers.result() as string;
  }
}

@Injectable()
class Tools {
  @Tool({ description: 'fails', parameters: z.object({}) })
  fail(): never {
    throw new RangeError('the failure');
  }
}

describe.each(STORES)('a failure policy that answers with something else than text, in %s', (store) => {
  let app: GovernedApp;
  beforeAll(async () => {
    app = await bootOn(store, { providers: [Tools, { provide: ToolFailurePolicy, useClass: Answering }] });
  });
  afterAll(() => app.close());

  const played = async (ends: () => unknown, result: () => unknown) => {
    answers = { ends, result };
    const { handle, outcome } = await app.play([[call('fail')], [says('ok')]]);
    return { outcome, operations: await app.operations(handle.runId) };
  };
  const no = () => false;

  it.each<[string, () => unknown]>([
    ['a value of type undefined', () => undefined],
    ['null', () => null],
    ['a value of type number', () => 5],
    ['a value of type object', () => ({ a: 1 })],
    ['a value of type bigint', () => 10n],
    ['a value of type symbol', () => Symbol('x')],
    ['a promise', async () => 'text'],
    ['a promise', () => Promise.reject(new Error('nobody waits for it'))],
  ])('%s from toResult ends the run, and the error says what to answer', async (given, result) => {
    const { outcome, operations } = await played(no, result);
    expect(operations).toMatchObject([{ toolName: 'fail', status: 'failed', outcome: 'failed' }]);
    const text =
      `ToolFailurePolicy.toResult answered ${given} for a failure of 'fail' (operation ${operations[0]?.id}). ` +
      `Answer a text, without async.`;
    const cause = { name: 'RangeError', message: 'the failure' };
    expect(outcome).toMatchObject({ status: 'failed', stage: 'executor', error: { message: text, cause } });
    expect(outcome.status === 'failed' && outcome.error).toBeInstanceOf(ConfigurationError);
  });

  it('a promise from endsRun is no answer either', async () => {
    const { outcome, operations } = await played(
      async () => false,
      () => 'text',
    );
    expect(outcome).toMatchObject({
      status: 'failed',
      error: {
        message:
          `ToolFailurePolicy.endsRun answered a promise for a failure of 'fail' (operation ${operations[0]?.id}). ` +
          `Answer true or false, without async.`,
      },
    });
  });

  it('a text, an empty one too, is what the model reads', async () => {
    const { outcome, operations } = await played(no, () => '');
    expect(outcome).toMatchObject({ status: 'completed', output: 'ok' });
    expect(operations).toMatchObject([{ status: 'failed' }]);
  });
});

import {
  BadRequestException,
  Injectable,
  InternalServerErrorException,
  UseGuards,
  UsePipes,
  type CanActivate,
  type PipeTransform,
} from '@nestjs/common';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { InvalidArgumentsError, NotPermitted, RetryBudgetExceededError, Tool, ToolFailurePolicy } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';

const OPEN = { type: 'object' } as const;
const away = new Error('connect ECONNREFUSED 10.0.0.1');

class Refusing implements PipeTransform {
  constructor(private readonly thrown: Error) {}

  transform(): never {
    throw this.thrown;
  }
}

@Injectable()
class Broken implements CanActivate {
  canActivate(): never {
    throw away;
  }
}

const throwing = {
  '~standard': {
    version: 1,
    vendor: 'own',
    validate: () => {
      throw away;
    },
    jsonSchema: { input: () => OPEN, output: () => OPEN },
  },
} as unknown as StandardSchemaV1<object>;

/** Each is stopped on the way to its method by something of the application's own. */
@Injectable()
class StoppedTools {
  @Tool({ description: 'A pipe says what is wrong', parameters: OPEN })
  @UsePipes(new Refusing(new BadRequestException('Order 7 is not yours')))
  told(_args: object) {
    return 'ran';
  }

  @Tool({ description: 'A pipe fails', parameters: OPEN })
  @UsePipes(new Refusing(new InternalServerErrorException('no connection to 10.0.0.1')))
  failing(_args: object) {
    return 'ran';
  }

  @Tool({ description: 'A pipe breaks', parameters: OPEN })
  @UsePipes(new Refusing(away))
  breaking(_args: object) {
    return 'ran';
  }

  @Tool({ description: 'A schema breaks', parameters: throwing })
  unchecked(_args: object) {
    return 'ran';
  }

  @Tool({ description: 'A guard breaks', parameters: OPEN })
  @UseGuards(Broken)
  unguarded(_args: object) {
    return 'ran';
  }

  @Tool({ description: 'Takes what it takes', parameters: { ...OPEN, required: ['order'] } })
  picky(_args: object) {
    return 'ran';
  }
}

const policy = (endsRun: ToolFailurePolicy['endsRun'], toResult: ToolFailurePolicy['toResult'] = () => 'not now') => ({
  provide: ToolFailurePolicy,
  useValue: { endsRun, toResult } satisfies ToolFailurePolicy,
});

let app: GovernedApp;
const start = async (...more: Parameters<typeof boot>[0]['providers']) =>
  (app = await boot({ providers: [StoppedTools, ...more], options: { limits: { toolRetries: 0 } } }));
afterEach(() => app.close());

/** What a program gets thrown. */
const thrownBy = async (tool: string, args: object = {}): Promise<unknown> =>
  app.tools.call(tool, args).then(
    (value) => value,
    (error: unknown) => error,
  );

describe('what stops a call before its method', () => {
  it.each([
    ['told', 'Order 7 is not yours'],
    ['failing', 'a pipe refused them'],
    ['breaking', 'a pipe refused them'],
    ['unchecked', 'they could not be validated'],
  ])('%s: invalid arguments, in words that are meant for the model only', async (tool, problem) => {
    await start();
    const error = await thrownBy(tool);
    expect(error).toBeInstanceOf(InvalidArgumentsError);
    expect(error).toMatchObject({ toolName: tool, problems: [problem], cause: expect.any(Error) });
  });

  it('a guard that breaks lets nobody pass; its error is the cause, and no word of it is told', async () => {
    await start();
    const error = await thrownBy('unguarded');
    expect(error).toBeInstanceOf(NotPermitted);
    expect(error).toMatchObject({ message: "A guard of 'unguarded' failed, so nobody may pass.", cause: away });
  });
});

describe('a refusal by a guard', () => {
  const played = () => app.play([[call('unguarded', {})], [says('sorry')]]);

  it('ends the run, also where the policy cannot say whether it does', async () => {
    await start();
    expect((await played()).outcome).toMatchObject({ status: 'failed', stage: 'denial' });
    await app.close();
    await start(
      policy(() => {
        throw away;
      }),
    );
    expect((await played()).outcome).toMatchObject({ status: 'failed', stage: 'denial' });
  });

  it('is told to the model where the policy says so', async () => {
    await start(policy(() => false));
    const { outcome, handle } = await played();
    expect(outcome).toMatchObject({ status: 'completed', output: 'sorry' });
    expect(await app.operations(handle.runId)).toMatchObject([
      {
        toolName: 'unguarded',
        status: 'denied',
        decidedBy: 'guard',
        executionStarted: false,
        reason: 'refused by a guard',
      },
    ]);
  });
});

describe('invalid arguments once too often', () => {
  const played = () => app.play([[call('picky', {})], [says('sorry')]]);

  it('are a failure like any other: the policy has the word', async () => {
    await start(policy(() => false));
    const { outcome, script, handle } = await played();
    expect(outcome).toMatchObject({ status: 'completed', output: 'sorry' });
    expect(script.requests[1]?.at(-1)).toMatchObject({ results: [{ outcome: 'failed', content: 'not now' }] });
    expect(await app.statuses(handle.runId)).toEqual(['picky failed']);
  });

  it('end the run where the policy wants that', async () => {
    await start(policy(() => true));
    const { outcome } = await played();
    expect(outcome).toMatchObject({ status: 'failed', stage: 'executor', error: expect.any(RetryBudgetExceededError) });
  });

  it('are thrown as they are where a program called', async () => {
    await start(policy(() => true));
    expect(await thrownBy('picky')).toMatchObject({ name: 'InvalidArgumentsError', toolName: 'picky' });
  });
});

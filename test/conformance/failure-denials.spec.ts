import { existsSync } from 'node:fs';
import { ForbiddenException, HttpException, Injectable, UnauthorizedException } from '@nestjs/common';
import {
  AgentRunner,
  Hook,
  NotPermitted,
  PrincipalUnavailable,
  RetryBudgetExceededError,
  Tool,
  ToolRetryError,
  type ErrorClass,
  type HookCall,
  type ToolHook,
} from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';
import type { Boot } from '../support/governed/governed.app.js';
import { readings } from './support/conversations.js';
import { staged, type StagedApp } from './support/staged.app.js';
import { wrapping } from './support/wrappers.js';

let app: StagedApp;
afterEach(() => app.close());

const DENIALS: readonly ErrorClass[] = [ForbiddenException, UnauthorizedException, NotPermitted, PrincipalUnavailable];
const failures = () => app.logged('gatehouse.failure');

/** One call of a tool that throws this. */
const denied = async (error: Error, reraise?: readonly ErrorClass[], providers: Boot['providers'] = []) => {
  const options = reraise === undefined ? {} : { failure: { reraise } };
  app = await staged(
    {
      boom: () => {
        throw error;
      },
    },
    { providers, options },
  );
  return app.play([[call('boom', { n: 0 }, 'b1')], [says('done')]]);
};

const ends = async (told: Awaited<ReturnType<typeof denied>>, error: Error) => {
  expect(told.outcome).toMatchObject({ status: 'failed' });
  expect(told.outcome.status === 'failed' && told.outcome.error).toBe(error);
  expect(failures()).toEqual([]);
  await app.close();
};

const converted = (told: Awaited<ReturnType<typeof denied>>) => {
  expect(told.outcome.status).toBe('completed');
  expect(readings(told)).toEqual([['failed', expect.stringMatching(/^Tool 'boom' failed /)]]);
  expect(failures()).toHaveLength(1);
};

describe('a denial', () => {
  it('[200] ends the run with that very object, once every hook has seen it; nothing is converted or logged', async () => {
    const error = new ForbiddenException('not your order');
    const seen: unknown[] = [];
    @Hook()
    class Watching implements ToolHook {
      onError({ error: thrown }: HookCall & { readonly error: unknown }): void {
        seen.push(thrown);
      }
    }
    const watch = wrapping((_call, next) =>
      next().catch((thrown: Error) => {
        seen.push(thrown);
        return Promise.reject(thrown);
      }),
    );
    const told = await denied(error, undefined, [Watching, watch]);
    expect(seen).toEqual([error, error]);
    expect(seen.every((each) => each === error)).toBe(true);
    expect(told.outcome).toMatchObject({ stage: 'denial' });
    await ends(told, error);
  });

  it.each([
    new ForbiddenException('no'),
    new UnauthorizedException('no'),
    new NotPermitted('no'),
    new PrincipalUnavailable('no'),
    new HttpException('no', 403),
  ])('[201] of each class of the default set ends the run: %s', async (error) => {
    await ends(await denied(error), error);
  });

  it('[202] is converted like any failure where the set is empty', async () => {
    converted(await denied(new ForbiddenException('no'), []));
  });

  it('[203] is converted where the set names other classes: it replaces the default, it does not add to it', async () => {
    class LookupError extends Error {}
    const lost = new LookupError('gone');
    await ends(await denied(lost, [LookupError]), lost);
    converted(await denied(new ForbiddenException('no'), [LookupError]));
  });

  it('[204] of a package that is not installed is not missed: the rest of the set stands, its look-alike is a failure', async () => {
    expect(existsSync(new URL('../../node_modules/@casl', import.meta.url))).toBe(false);
    const error = new ForbiddenException('no');
    await ends(await denied(error), error);
    converted(await denied(Object.assign(new Error('no'), { name: 'ForbiddenError' })));
  });

  it('[205] of a subclass passes as its class does', async () => {
    class OtherTenant extends ForbiddenException {}
    const error = new OtherTenant();
    await ends(await denied(error), error);
    class Closed extends RangeError {}
    const closed = new Closed();
    await ends(await denied(closed, [RangeError]), closed);
  });
});

describe('a spent retry budget', () => {
  const STRICT = [RetryBudgetExceededError, ...DENIALS];

  it('[198] ends the run where the set names it, and the signal is its cause', async () => {
    const signal = new ToolRetryError('again');
    app = await staged(
      {
        once: () => {
          throw signal;
        },
      },
      { options: { failure: { reraise: STRICT } } },
    );
    const { outcome } = await app.play([[call('once', { n: 0 })], [says('done')]]);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { name: 'RetryBudgetExceededError', message: "Tool 'once' exceeded max retries count of 0" },
    });
    expect(outcome.status === 'failed' && outcome.error.cause).toBe(signal);
  });

  it('[199] of a run inside a tool is a failure of that tool; where the set names it, the outer run ends and names the inner tool', async () => {
    @Injectable()
    class Delegates {
      constructor(private readonly runner: AgentRunner) {}

      @Tool('Has others look')
      async delegate() {
        const script = scriptedExecutor([[call('once', { n: 0 })], [says('looked')]]);
        return this.runner.start({ agent: script, input: 'look' }).result();
      }
    }
    // A middleware that asks again without a budget ends the inner run, whatever the policy.
    const asking = wrapping((call, next) =>
      call.toolName === 'once' ? Promise.reject(new ToolRetryError('again')) : next(),
    );
    const lines = [[call('delegate')], [says('done')]] as const;
    app = await staged({}, { providers: [Delegates, asking] });
    const told = await app.play(lines);
    expect(told.outcome.status).toBe('completed');
    expect(readings(told)).toEqual([['failed', expect.stringMatching(/^Tool 'delegate' failed /)]]);
    await app.close();

    app = await staged({}, { providers: [Delegates, asking], options: { failure: { reraise: STRICT } } });
    const { outcome } = await app.play(lines);
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { name: 'RetryBudgetExceededError', message: "Tool 'once' exceeded max retries count of 0" },
    });
  });
});

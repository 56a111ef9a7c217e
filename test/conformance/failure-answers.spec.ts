import {
  Hook,
  ToolFailedError,
  ToolRetryError,
  type HookCall,
  type ToolHook,
  type ToolMiddleware,
} from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { readings } from './support/conversations.js';
import { playWrapped, PLACES, staged, toolLines, type Place, type StagedApp } from './support/staged.app.js';
import { ValueError } from './support/staged.tools.js';

let app: StagedApp;
afterEach(() => app.close());

const failures = () => app.logged('gatehouse.failure');

/** Plays one call of a failing tool inside one middleware. */
const failing = async (
  place: Place,
  aroundTool: ToolMiddleware['aroundTool'],
  options: { tool?: 'boom' | 'once'; error?: Error; position?: 'outermost' | 'innermost' } = {},
) => {
  const { tool = 'boom', error = new ValueError('kaboom'), position } = options;
  const told = await playWrapped(place, aroundTool, {
    bodies: {
      [tool]: () => {
        throw error;
      },
    },
    lines: [[call(tool, { n: 0 }, 'c1')], [says('done')]],
    ...(position === undefined ? {} : { position }),
  });
  ({ app } = told);
  return told;
};

describe.each(PLACES)('middleware %s around a failing tool', (place) => {
  const seeing = async (position?: 'outermost' | 'innermost') => {
    const error = new ValueError('kaboom');
    const seen: unknown[] = [];
    const watch: ToolMiddleware['aroundTool'] = async (_call, next) => {
      try {
        return await next();
      } catch (thrown) {
        seen.push(thrown);
        throw thrown;
      }
    };
    const told = await failing(place, watch, { error, ...(position === undefined ? {} : { position }) });
    expect(seen).toEqual([error]);
    expect(seen[0]).toBe(error);
    expect(readings(told)).toEqual([['failed', expect.stringContaining('Do not repeat this call.')]]);
  };

  it("[190] sees the tool's own exception object", () => seeing());

  it.each(['outermost', 'innermost'] as const)(
    "[191] never sees the policy's text, position %s: the policy converts last of all",
    (position) => seeing(position),
  );

  it('[192] may recover: nothing is converted or logged, the model gets what it recovered to', async () => {
    const told = await failing(place, (_call, next) => next().catch(() => 'recovered'));
    expect(readings(told)).toEqual([['success', 'recovered']]);
    expect(failures()).toEqual([]);
  });

  it('[193] may ask the model again instead: the model gets that, nothing is converted or logged', async () => {
    const told = await failing(place, (_call, next) =>
      next().catch(() => Promise.reject(new ToolRetryError('try another target'))),
    );
    expect(told.outcome.status).toBe('completed');
    expect(readings(told)).toEqual([['retry', 'try another target']]);
    expect(failures()).toEqual([]);
  });

  it("[194] asks again without a budget: the run ends, nothing is logged, the record is the tool's exception", async () => {
    const signal = new ToolRetryError('try another target');
    const told = await failing(place, (_call, next) => next().catch(() => Promise.reject(signal)), { tool: 'once' });
    expect(told.outcome).toMatchObject({
      status: 'failed',
      error: {
        name: 'RetryBudgetExceededError',
        message: "Tool 'once' exceeded max retries count of 0",
        cause: signal,
      },
    });
    expect(failures()).toEqual([]);
    expect(toolLines(app)).toEqual([['once', '{"n":0}', false, 'ValueError: kaboom', null]]);
  });

  it('[195] may answer with words of its own: the model reads exactly those', async () => {
    const told = await failing(place, (_call, next) =>
      next().catch(() => Promise.reject(new ToolFailedError('maintenance'))),
    );
    expect(readings(told)).toEqual([['failed', 'maintenance']]);
    expect(failures()).toEqual([]);
  });
});

it("[207] a hook that keeps what went wrong keeps the tool's own words", async () => {
  const kept: string[] = [];
  @Hook()
  class StepRecorder implements ToolHook {
    onError({ toolName, error }: HookCall & { readonly error: unknown }): void {
      kept.push(`${toolName}: ${String(error)}`);
    }
  }
  app = await staged({}, { providers: [StepRecorder] });
  const told = await app.play([[call('boom', { n: 0 })], [says('done')]]);
  expect(kept).toEqual(['boom: ValueError: kaboom']);
  expect(readings(told)).toEqual([['failed', expect.not.stringContaining('kaboom')]]);
});

import { Clock, SkipToolExecution, ToolFailedError, ToolRetryError, type ToolMiddleware } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { gate, readings } from './support/conversations.js';
import { HandClock } from './support/hand.clock.js';
import { PLACES, playWrapped, staged, toolLines, type StagedApp } from './support/staged.app.js';
import { ValueError, type Body } from './support/staged.tools.js';
import { wrapping } from './support/wrappers.js';

let app: StagedApp;
afterEach(() => app.close());

const FOUND = ['lookup', '{"n":0}', true, null, 5];
const KABOOM = ['boom', '{"n":0}', false, 'ValueError: kaboom', null];
const BOOM = [[call('boom', { n: 0 }, 'c1')], [says('done')]];

const failing =
  (error: Error): Body =>
  () => {
    throw error;
  };

// What a capability that sorts after audit did to Django's records, here done by the innermost middleware there can be.
describe.each(PLACES)('innermost middleware %s', (place) => {
  const play = async (aroundTool: ToolMiddleware['aroundTool'], more: Parameters<typeof playWrapped>[2] = {}) => {
    const told = await playWrapped(place, aroundTool, { position: 'innermost', ...more });
    ({ app } = told);
    return told;
  };

  it('[215] that rewrites the arguments: the record has those the method got', async () => {
    await play((_call, next) => next({ args: { n: 4 } }));
    expect(toolLines(app)).toEqual([['lookup', '{"n":4}', true, null, 5]]);
  });

  it('[216] that asks again before the call: there is no record, as there was no start', async () => {
    const told = await play(() => Promise.reject(new ToolRetryError('first say why')));
    expect(readings(told)).toEqual([['retry', 'first say why']]);
    expect(toolLines(app)).toEqual([]);
  });

  it('[217] that recovers: the record is the failure', async () => {
    const told = await play((_call, next) => next().catch(() => 'all is well'), { lines: BOOM });
    expect(readings(told)).toEqual([['success', 'all is well']]);
    expect(toolLines(app)).toEqual([KABOOM]);
  });

  it("[218] that throws an error of its own instead: the record is the method's", async () => {
    const told = await play((_call, next) => next().catch(() => Promise.reject(new RangeError('mine'))), {
      lines: BOOM,
    });
    expect(told.script.results[0]?.[0]?.error).toEqual(new RangeError('mine'));
    expect(toolLines(app)).toEqual([KABOOM]);
  });

  it('[219] that asks again after a success: the record is the success', async () => {
    const told = await play(async (_call, next) => {
      await next();
      throw new ToolRetryError('not good enough');
    });
    expect(readings(told)).toEqual([['retry', 'not good enough']]);
    expect(toolLines(app)).toEqual([FOUND]);
  });

  it("[220] that rewrites the result: the record has the size of the method's", async () => {
    const told = await play(async (_call, next) => `${String(await next())} and much more`);
    expect(readings(told)).toEqual([['success', 'found and much more']]);
    expect(toolLines(app)).toEqual([FOUND]);
  });

  it("[221] that takes its time: the record has the method's alone", async () => {
    const clock = new HandClock();
    const Slow = wrapping(
      async (_call, next) => {
        clock.advance(300);
        const result = await next();
        clock.advance(300);
        return result;
      },
      { position: 'innermost' },
    );
    const providers = [{ provide: Clock, useValue: clock }, ...(place === 'module-wide' ? [Slow] : [])];
    const lookup = () => {
      clock.advance(50);
      return 'found';
    };
    app = await staged({ lookup }, { providers });
    await app.play(
      [[call('lookup', { n: 0 })], [says('done')]],
      place === 'module-wide' ? {} : { middleware: [new Slow()] },
    );
    expect(app.records.events.map(({ durationMs }) => durationMs)).toEqual([50]);
  });

  it.each([
    [new ToolRetryError('tool: again'), 'ToolRetryError: tool: again'],
    [new ToolFailedError('tool: closed'), 'ToolFailedError: tool: closed'],
  ])(
    "[222] that replaces what the tool said to the model: the record has the tool's words, %s",
    async (error, text) => {
      const told = await play((_call, next) => next().catch(() => Promise.reject(new ToolFailedError('screened'))), {
        bodies: { boom: failing(error) },
        lines: BOOM,
      });
      expect(readings(told)).toEqual([['failed', 'screened']]);
      expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, text, null]]);
    },
  );

  it('[223] that runs the method again, after a failure or a success: each run has its own record', async () => {
    let starts = 0;
    const flaky = () => {
      starts += 1;
      if (starts === 2) throw new ValueError('kaboom');
      return 'x'.repeat(starts);
    };
    const thrice: ToolMiddleware['aroundTool'] = async (_call, next) => {
      await next();
      await next({ args: { n: 8 } }).catch(() => undefined);
      return next({ args: { n: 9 } });
    };
    const told = await play(thrice, { bodies: { lookup: flaky } });
    expect(readings(told)).toEqual([['success', 'xxx']]);
    expect(toolLines(app)).toEqual([
      ['lookup', '{"n":0}', true, null, 1],
      ['lookup', '{"n":8}', false, 'ValueError: kaboom', null],
      ['lookup', '{"n":9}', true, null, 3],
    ]);
  });

  it('[224] that vetoes: there is no record; a veto after the call hides none', async () => {
    await play(() => Promise.reject(new SkipToolExecution('no')));
    expect(toolLines(app)).toEqual([]);
    await app.close();
    const told = await play(async (_call, next) => {
      await next();
      throw new SkipToolExecution('forget it');
    });
    expect(readings(told)).toEqual([['denied', 'forget it']]);
    expect(toolLines(app)).toEqual([FOUND]);
  });

  it('[225] that runs the method twice at once: one record for each start, never crossed', async () => {
    const [first, second] = [gate(), gate()];
    const overlapping: Body = async ({ n }) => {
      if (n === 1) {
        first.open();
        await second.opened;
        return 'a long result';
      }
      await first.opened;
      second.open();
      throw new ValueError('kaboom');
    };
    const both: ToolMiddleware['aroundTool'] = async (_call, next) => {
      const [one] = await Promise.allSettled([next({ args: { n: 1 } }), next({ args: { n: 2 } })]);
      return one.status === 'fulfilled' ? one.value : 'none';
    };
    const told = await play(both, { bodies: { lookup: overlapping } });
    expect(readings(told)).toEqual([['success', 'a long result']]);
    expect(toolLines(app).toSorted()).toEqual([
      ['lookup', '{"n":1}', true, null, 13],
      ['lookup', '{"n":2}', false, 'ValueError: kaboom', null],
    ]);
  });
});

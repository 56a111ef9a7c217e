import { ForbiddenException } from '@nestjs/common';
import { Clock } from 'nest-gatehouse';
import { says, call } from 'nest-gatehouse/testing';
import type { GovernedApp } from '../support/governed/governed.app.js';
import { HandClock } from './support/hand.clock.js';
import { playWrapped, PLACES, staged, toolLines } from './support/staged.app.js';
import { Stage } from './support/staged.tools.js';
import { wrapping } from './support/wrappers.js';

let app: GovernedApp;
afterEach(() => app.close());

/** What the model read of the first call. */
const read = ({ script }: { script: { results: readonly (readonly { content: string }[])[] } }) =>
  script.results[0]?.[0]?.content;

describe.each(PLACES)('the record of a call inside middleware %s', (place) => {
  it('[118] is still the failure where the middleware recovers, and the model gets what it recovered to', async () => {
    const told = await playWrapped(place, (_call, next) => next().catch(() => 'recovered'), {
      lines: [[call('boom', { n: 0 }, 'c1')], [says('done')]],
    });
    ({ app } = told);
    expect(toolLines(app)).toEqual([['boom', '{"n":0}', false, 'ValueError: kaboom', null]]);
    expect(told.script.results[0]).toMatchObject([{ outcome: 'success', content: 'recovered' }]);
  });

  it.each([undefined, 'innermost', 'outermost'] as const)(
    '[119] holds the arguments a middleware replaced before the call, position %s',
    async (position) => {
      const told = await playWrapped(
        place,
        async (_call, next) => {
          await Promise.resolve();
          return next({ args: { n: 7 } });
        },
        position === undefined ? {} : { position },
      );
      ({ app } = told);
      expect(told.stage.ran).toEqual(['lookup {"n":7}']);
      expect(toolLines(app)).toEqual([['lookup', '{"n":7}', true, null, 5]]);
    },
  );

  it('[120] holds the arguments a wrapper called on with', async () => {
    const told = await playWrapped(place, async (_call, next) => `wrapped ${String(await next({ args: { n: 5 } }))}`);
    ({ app } = told);
    expect(told.stage.ran).toEqual(['lookup {"n":5}']);
    expect(toolLines(app)).toEqual([['lookup', '{"n":5}', true, null, 5]]);
    expect(read(told)).toBe('wrapped found');
  });

  it("[121] has the size of the method's own result, whatever the model gets", async () => {
    const told = await playWrapped(place, async (_call, next) => {
      await next();
      return 'x'.repeat(500);
    });
    ({ app } = told);
    expect(toolLines(app)).toEqual([['lookup', '{"n":0}', true, null, 5]]);
    expect(read(told)).toBe('x'.repeat(500));
  });

  it('[122] is a success where the method succeeded and something after it refused; the run ends with the refusal', async () => {
    const refusal = new ForbiddenException('not yours');
    const told = await playWrapped(place, async (_call, next) => {
      await next();
      throw refusal;
    });
    ({ app } = told);
    expect(toolLines(app)).toEqual([['lookup', '{"n":0}', true, null, 5]]);
    expect(told.outcome).toEqual({ status: 'failed', stage: 'denial', error: refusal });
    expect(told.outcome.status === 'failed' && told.outcome.error).toBe(refusal);
  });
});

describe('the duration of a record', () => {
  const ONCE = [[call('lookup', { n: 0 })], [says('done')]];
  let clock: HandClock;
  const injected = () => ({ provide: Clock, useFactory: () => (clock = new HandClock()) });

  it('[123] is that of the method alone, however long everything around it takes', async () => {
    const slow = (name: string) =>
      wrapping(
        async (_call, next) => {
          clock.advance(300);
          const result = await next();
          clock.advance(300);
          return result;
        },
        {},
        name,
      );
    app = await staged(
      {
        lookup: () => {
          clock.advance(50);
          return 'found';
        },
      },
      { providers: [injected(), slow('First'), slow('Second')] },
    );
    await app.play(ONCE);
    expect(app.records.events.map(({ durationMs }) => durationMs)).toEqual([50]);
  });

  it('[124] is never negative, whatever happens to the wall clock', async () => {
    app = await staged(
      {
        lookup: () => {
          clock.advance(12.5);
          clock.setBack(3_600_000);
          return 'found';
        },
      },
      { providers: [injected()] },
    );
    await app.play([[call('lookup', { n: 0 })], [call('boom', { n: 0 })], [says('done')]]);
    expect(app.records.events.map(({ durationMs }) => durationMs)).toEqual([12.5, 0]);
  });

  it('[125] an object counts as the length of its JSON', async () => {
    app = await staged({ lookup: () => ({ order: 7, status: 'shipped' }) });
    await app.play([[call('lookup', { n: 0 })], [says('done')]]);
    expect(toolLines(app)).toEqual([['lookup', '{"n":0}', true, null, '{"order":7,"status":"shipped"}'.length]]);
    expect(app.module.get(Stage).ran).toEqual(['lookup {"n":0}']);
  });
});

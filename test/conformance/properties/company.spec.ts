import { jest } from '@jest/globals';
import fc from 'fast-check';
import type { AuditLogger } from 'nest-gatehouse';
import { repeatableScripts } from './arbitrary.script.js';
import { Audience, ContinueHook } from './players.js';
import { Performance } from './performance.js';
import { PATIENCE, round } from './rounds.js';
import { seen } from './seen.js';
import { Theatre } from './theatre.js';
import { Performances } from './troupe.js';

jest.setTimeout(PATIENCE);

/** An audit logger that loses everything, in both ways. */
class LosingLogger implements AuditLogger {
  private lost = 0;

  record(): Promise<void> {
    this.lost += 1;
    if (this.lost % 2 === 0) throw new Error('the sink is full');
    return Promise.reject(new Error('the sink is gone'));
  }
}

describe('company changes nothing', () => {
  let silent: Theatre;
  let watched: Theatre;
  beforeAll(async () => {
    silent = await Theatre.open({ audit: false });
    watched = await Theatre.open({ audit: { loggers: [LosingLogger, Performances] } }, { providers: [LosingLogger] });
  });
  afterAll(async () => {
    await silent.close();
    await watched.close();
  });

  it('with listeners, hooks that continue and audit loggers that fail, a run is the run without them', () =>
    fc.assert(
      fc.asyncProperty(repeatableScripts, async (script) => {
        const alone = await silent.perform(script, 'ann', { audience: false });
        const other = new Performance('other', 'ann', script);
        const watchers = { hooks: [new ContinueHook()], listeners: [new Audience(other)] };
        const together = await watched.perform(script, 'ann', watchers);
        expect(seen(together, { executions: false })).toBe(seen(alone, { executions: false }));
      }),
      round(),
    ));
});

describe('runs side by side', () => {
  let theatre: Theatre;
  beforeAll(async () => {
    theatre = await Theatre.open();
  });
  afterAll(() => theatre.close());
  const names = ['ann', 'bob', 'cleo', 'dora'];

  it('each is what it is alone, and holds nothing of another', () =>
    fc.assert(
      fc.asyncProperty(fc.array(repeatableScripts, { minLength: 2, maxLength: 4 }), async (programme) => {
        const alone: Performance[] = [];
        for (const [at, script] of programme.entries()) alone.push(await theatre.perform(script, names[at]));
        const together = await Promise.all(programme.map((script, at) => theatre.perform(script, names[at])));
        expect(together.map((one) => seen(one))).toEqual(alone.map((one) => seen(one)));
        for (const [at, performance] of together.entries()) {
          const all = JSON.stringify([performance.events, performance.requests, performance.rows, performance.starts]);
          for (const other of names.filter((_, place) => place !== at)) expect(all).not.toContain(`-${other}-`);
        }
      }),
      round(0.4),
    ));
});

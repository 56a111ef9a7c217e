import { SharedLimits } from './shared.limits.js';

const LIMITS = { steps: 3, toolCalls: 2, tokens: 100 };

describe('SharedLimits', () => {
  it('is full once what is allowed was used, here and below together', () => {
    const above = new SharedLimits(LIMITS);
    const below = new SharedLimits({ ...LIMITS, toolCalls: 9 }, above);
    above.use('toolCalls');
    expect(below.full('toolCalls')).toBeUndefined();
    below.use('toolCalls');
    expect(above.full('toolCalls')).toMatchObject({ limit: 'toolCalls', allowed: 2 });
    expect(below.full('toolCalls')).toMatchObject({ limit: 'toolCalls', allowed: 2 });
    expect(above.below).toEqual({ steps: 0, toolCalls: 1, tokens: 0 });
  });

  it('names the nearest limit that is reached', () => {
    const below = new SharedLimits({ ...LIMITS, steps: 1 }, new SharedLimits(LIMITS));
    below.use('steps');
    expect(below.full('steps')).toMatchObject({ limit: 'steps', allowed: 1 });
  });

  it('is exceeded by more than what is allowed, not by all of it; without a limit never', () => {
    const limits = new SharedLimits(LIMITS);
    limits.use('tokens', 100);
    expect(limits.exceeded('tokens')).toBeUndefined();
    limits.use('tokens');
    expect(limits.exceeded('tokens')).toMatchObject({ limit: 'tokens', allowed: 100 });
    const unlimited = new SharedLimits({ steps: 1, toolCalls: 1 });
    unlimited.use('tokens', 1_000_000);
    expect(unlimited.exceeded('tokens')).toBeUndefined();
  });

  it('goes on from what was used before a suspension', () => {
    const own = { steps: 1, toolCalls: 1, tokens: 0 };
    const limits = new SharedLimits(LIMITS, undefined, { own, below: own });
    expect(limits.full('toolCalls')).toMatchObject({ allowed: 2 });
    expect(limits.full('steps')).toBeUndefined();
  });

  it('has nothing below to store until something ran there', () => {
    expect(new SharedLimits(LIMITS).below).toBeUndefined();
  });
});

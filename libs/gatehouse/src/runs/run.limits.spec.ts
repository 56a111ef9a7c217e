import type { ResolvedOptions } from '../contracts/resolved.options.js';
import { limitsOf } from './run.limits.js';

const BASE: ResolvedOptions['limits'] = {
  steps: 50,
  toolCalls: 200,
  callsPerResponse: 64,
  toolRetries: 1,
  outputRetries: 1,
  redirects: 1,
  repeatedRefusals: 3,
  toolRefusals: 5,
  pendingApprovals: 20,
  depth: 5,
  parallelToolCalls: 8,
  decisionTimeout: 30_000,
};

describe('limitsOf', () => {
  it('takes the last word on each limit; what was left undefined is no word', () => {
    expect(limitsOf(BASE, { steps: 5, depth: undefined }, { steps: 7, duration: '2s', decisionTimeout: '1s' })).toEqual(
      {
        ...BASE,
        steps: 7,
        duration: 2000,
        decisionTimeout: 1000,
      },
    );
  });

  it.each([-1, 1.5, NaN, Infinity, '5', null])('refuses %p, which would be no limit at all', (steps) => {
    expect(() => limitsOf(BASE, { steps } as object)).toThrow(
      `limits.steps is ${String(steps)}: write a whole number that is 0 or more.`,
    );
  });
});

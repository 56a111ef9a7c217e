import { Injectable } from '@nestjs/common';
import { Tool, type RunContext } from 'nest-gatehouse';
import { z } from 'zod';
import { ANN, type GovernedApp } from '../support/governed/governed.app.js';
import { bootOn, STORES } from '../support/governed/stores.js';

@Injectable()
class Tools {
  @Tool({ description: 'a', parameters: z.object({}) })
  a(): string {
    return 'a';
  }
}

describe.each(STORES)('limits.tokens, whatever an agent reports, in %s', (store) => {
  let app: GovernedApp;
  beforeAll(async () => {
    app = await bootOn(store, { providers: [Tools] });
  });
  afterAll(() => app.close());

  const reporting = async (first: unknown) => {
    let responses = 0;
    const execute = async (run: RunContext) => {
      for (const inputTokens of [first as number, 30, 30, 30]) {
        await run.callBatch([{ toolName: 'a', args: {} }], { inputTokens, outputTokens: 0 });
        responses += 1;
      }
      return { value: 'x' };
    };
    const handle = app.runner.start({ agent: { execute }, input: 'go', user: ANN, limits: { tokens: 50 } });
    const outcome = await handle.outcome;
    const [terminal] = (await app.trail.terminals({ runId: handle.runId })).items;
    return { outcome, responses, used: terminal?.usage.inputTokens };
  };

  it.each([[Number.NaN], [-1000], [Number.POSITIVE_INFINITY], ['5'], [null], [undefined]])(
    '%p is no count: it adds nothing, and the limit stands',
    async (reported) => {
      const { outcome, responses, used } = await reporting(reported);
      expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'tokens', allowed: 50 } });
      expect([responses, used]).toEqual([2, 60]);
    },
  );

  it('a count counts', async () => {
    const { outcome, responses, used } = await reporting(21);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'tokens', allowed: 50 } });
    expect([responses, used]).toEqual([1, 51]);
  });
});

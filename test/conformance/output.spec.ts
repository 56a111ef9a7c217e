import { FINAL_OUTPUT, type OutputSpec, type RunContext } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { rejecting } from './support/deciding.js';
import { LetterTools } from './support/letter.tools.js';
import { gives, givesCall } from './support/output.script.js';

let app: GovernedApp;
const bodies = () => app.module.get(LetterTools).ran;
const output: OutputSpec = { schema: z.number().nullable() };
type Lines = Parameters<GovernedApp['play']>[0];
type Request = NonNullable<Parameters<GovernedApp['play']>[1]>;
const play = async (lines: Lines, request: Request = {}) => {
  const told = await app.play(lines, { output, ...request });
  return { ...told, statuses: await app.statuses(told.handle.runId) };
};

beforeEach(async () => {
  app = await boot({ providers: [LetterTools] });
});
afterEach(() => app.close());

describe('an output beside calls', () => {
  it('[33] a rejection skips its later siblings and the output, and names itself as the cause', async () => {
    const { statuses, outcome, handle } = await play([[call('a'), call('b'), call('c'), gives(1)], [gives(2)]], {
      inspectors: [rejecting('b')],
    });
    expect(statuses).toEqual([
      'a completed',
      'b rejected',
      'c skipped by b',
      'final_output skipped by b',
      'final_output completed',
    ]);
    expect((await app.operations(handle.runId)).map(({ kind }) => kind)).toEqual([
      'tool',
      'tool',
      'tool',
      'output',
      'output',
    ]);
    expect(outcome).toMatchObject({ status: 'completed', output: 2 });
  });

  it('[36] an earlier output cannot win over a later refusal, and what its call did is done once', async () => {
    const { statuses, outcome } = await play([[givesCall('add', { x: 1, y: 2 }), call('b')], [gives(9)]], {
      inspectors: [rejecting('b')],
    });
    expect(statuses).toEqual(['final_output skipped by b', 'add completed', 'b rejected', 'final_output completed']);
    expect(bodies()).toEqual(['add 1 2']);
    expect(outcome).toMatchObject({ output: 9 });
  });

  it('[41] early native text goes first: refused, it skips the calls and costs one output retry', async () => {
    const text = JSON.stringify({ returnCall: { toolName: 'forbidden', args: {} } });
    const { statuses, outcome, script } = await play([[says(text), call('b')], [says('{"return":4}')]], {
      output: { ...output, mode: 'native', endStrategy: 'early', retries: 1 },
      inspectors: [rejecting('forbidden')],
    });
    expect(statuses).toEqual([
      'b skipped by final_output',
      'final_output rejected',
      'forbidden rejected',
      'final_output completed',
    ]);
    expect(script.requests[1]?.at(-1)).toMatchObject({ role: 'user', text: expect.stringContaining('"denied"') });
    expect(outcome).toMatchObject({ status: 'completed', output: 4 });
    expect(bodies()).toEqual([]);
  });

  it('[41] with no output retry left the same refusal ends the run', async () => {
    const text = JSON.stringify({ returnCall: { toolName: 'forbidden', args: {} } });
    const { outcome } = await play([[says(text), call('b')]], {
      output: { ...output, mode: 'native', endStrategy: 'early', retries: 0 },
      inspectors: [rejecting('forbidden')],
    });
    expect(outcome).toMatchObject({ stage: 'output_validation', error: { limit: 'outputRetries', allowed: 0 } });
  });

  it('[42] graceful native text comes after the calls: a rejected call skips it', async () => {
    const { statuses, outcome } = await play([[says('{"return":1}'), call('b')], [says('{"return":2}')]], {
      output: { ...output, mode: 'native' },
      inspectors: [rejecting('b')],
    });
    expect(statuses).toEqual(['b rejected', 'final_output skipped by b', 'final_output completed']);
    expect(outcome).toMatchObject({ output: 2 });
  });

  it('the siblings settle first, the first valid output wins, later ones are skipped', async () => {
    const { statuses, outcome } = await play([[gives(1), call('a'), gives(2)]]);
    expect(statuses).toEqual(['final_output completed', 'a completed', 'final_output skipped by final_output']);
    expect(outcome).toMatchObject({ output: 1 });
  });

  it('early, what follows the first valid output is skipped', async () => {
    const lines = [[call('a'), gives(1), call('b')]];
    const { statuses } = await play(lines, { output: { ...output, endStrategy: 'early' } });
    expect(statuses).toEqual(['a completed', 'final_output completed', 'b skipped by final_output']);
  });

  it('beside a call that waits for a person the output is skipped, blocked by it', async () => {
    const { statuses, outcome } = await play([[gives(1), call('wipe', { box: {} })]]);
    expect(outcome.status).toBe('suspended');
    expect(statuses).toEqual(['final_output skipped by undefined']);
  });

  it('a call that a person must decide is no output: it is denied, and the model told to make it first', async () => {
    const { statuses, script } = await play([[givesCall('wipe', { box: {} })], [gives(1)]]);
    expect(statuses).toEqual(['final_output failed', 'wipe denied', 'final_output completed']);
    expect(script.results[0]?.[0]?.content).toContain('call the tool first and return its result');
  });
});

describe('what a model is offered', () => {
  it('final_output, of kind output and never gated, with the schema of the value; not in native mode', async () => {
    const offered = async (mode: 'tool' | 'native', last: ReturnType<typeof gives> | string) => {
      const seen: unknown[] = [];
      const looking = (run: RunContext) => {
        const tool = run.tools().find(({ name }) => name === FINAL_OUTPUT);
        seen.push(tool?.kind, tool?.gate.gated, run.responseSchema?.['type']);
        return [last];
      };
      const { outcome } = await play([looking], { output: { schema: z.object({ total: z.number() }), mode } });
      return [outcome.status, ...seen];
    };
    expect(await offered('tool', gives({ total: 1 }))).toEqual(['completed', 'output', false, undefined]);
    expect(await offered('native', '{"return":{"total":1}}')).toEqual(['completed', undefined, undefined, 'object']);
  });

  it('a plain answer is no output where one is asked for', async () => {
    const { script, outcome } = await play([[says('It is four.')], [gives(4)]]);
    expect(script.requests[1]?.slice(-2)).toMatchObject([
      { role: 'assistant', text: 'It is four.' },
      { role: 'user', text: "Your answer was not accepted: give the final result by calling 'final_output'." },
    ]);
    expect(outcome).toMatchObject({ output: 4 });
  });
});

import { call, says } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { rejecting, type DecidingInspector } from './support/deciding.js';
import { LetterTools } from './support/letter.tools.js';
import { gives, givesCall } from './support/output.script.js';

let app: GovernedApp;
const tools = () => app.module.get(LetterTools);
const letters = (...names: readonly string[]) => names.map((name) => call(name));
const done = [says('done')];

beforeEach(async () => {
  app = await boot({ providers: [LetterTools] });
});
afterEach(() => app.close());

const played = async (
  responses: Parameters<GovernedApp['play']>[0],
  inspector: DecidingInspector,
  request: Parameters<GovernedApp['play']>[1] = {},
) => {
  const told = await app.play(responses, { inspectors: [inspector], ...request });
  return { ...told, statuses: await app.statuses(told.handle.runId) };
};

describe('the barrier of one response', () => {
  it('[33] a rejection skips its later siblings and names itself as the cause', async () => {
    const { statuses, outcome } = await played([letters('a', 'b', 'c'), done], rejecting('b'));
    expect(statuses).toEqual(['a completed', 'b rejected', 'c skipped by b']);
    expect(outcome).toMatchObject({ status: 'completed', text: 'done' });
  });

  it('[34] a blocked call is neither validated nor inspected nor run', async () => {
    const inspector = rejecting('b');
    await played([[call('a'), call('b'), call('checked', { n: 1 })], done], inspector);
    expect(tools().validations).toEqual([]);
    expect(inspector.tools()).toEqual(['a', 'b']);
    expect(tools().ran).toEqual(['a']);
  });

  it('[35] the next request has the result, the refusal and the skip, in emission order', async () => {
    const { script } = await played([letters('a', 'b', 'c'), done], rejecting('b'));
    const [, refused, skipped] = script.results[0] ?? [];
    expect(script.requests[1]?.at(-1)).toMatchObject({
      role: 'tool',
      results: [
        { toolName: 'a', outcome: 'success', content: 'A' },
        { toolName: 'b', outcome: 'denied', content: refused?.content },
        { toolName: 'c', outcome: 'skipped', content: skipped?.content },
      ],
    });
    expect(skipped?.content).toContain(refused?.operationId);
  });

  it('[34] [35] the call of a blocked output is not made, and the model reads that it was skipped', async () => {
    const { script, statuses } = await played([[call('b'), givesCall('c')], [gives('none')]], rejecting('b'), {
      output: { schema: z.string() },
    });
    expect(statuses).toEqual(['b rejected', 'final_output skipped by b', 'final_output completed']);
    expect(tools().ran).toEqual([]);
    const [refused, skipped] = script.results[0] ?? [];
    expect(script.requests[1]?.at(-1)).toMatchObject({
      results: [{ outcome: 'denied' }, { toolName: 'final_output', outcome: 'skipped', content: skipped?.content }],
    });
    expect(skipped?.content).toContain(refused?.operationId);
  });

  it('[37] a failure is no barrier', async () => {
    const { statuses } = await played([letters('boom', 'b'), done], rejecting());
    expect(statuses).toEqual(['boom failed', 'b completed']);
    expect(tools().ran).toEqual(['boom', 'b']);
  });

  it('[38] the first rejection blocks the rest; a later one that would be refused too is never asked about', async () => {
    const inspector = rejecting('a', 'c');
    const { statuses } = await played([letters('a', 'b', 'c'), done], inspector);
    expect(statuses).toEqual(['a rejected', 'b skipped by a', 'c skipped by a']);
    expect(inspector.tools()).toEqual(['a']);
  });

  it('[39] the barrier does not outlive its response', async () => {
    const inspector = rejecting('b');
    const { statuses } = await played([letters('a', 'b', 'c'), letters('c'), done], inspector);
    expect(statuses).toEqual(['a completed', 'b rejected', 'c skipped by b', 'c completed']);
    expect(inspector.tools()).toEqual(['a', 'b', 'c']);
    expect(tools().ran).toEqual(['a', 'c']);
  });

  it('[40] with room for parallel calls the records are those of a sequence', async () => {
    const script = [letters('a', 'b', 'c'), done];
    const records = async (parallelToolCalls: number) => {
      const told = await app.play(script, { inspectors: [rejecting('b')], limits: { parallelToolCalls } });
      return app.statuses(told.handle.runId);
    };
    expect(await records(8)).toEqual(['a completed', 'b rejected', 'c skipped by b']);
    expect(await records(8)).toEqual(await records(1));
  });

  it('[43] a rejection in one run leaves another run alone', async () => {
    const script = [letters('a', 'b', 'c'), done];
    const [refusing, other] = await Promise.all([played(script, rejecting('b')), played(script, rejecting())]);
    expect(refusing.statuses).toEqual(['a completed', 'b rejected', 'c skipped by b']);
    expect(other.statuses).toEqual(['a completed', 'b completed', 'c completed']);
  });

  it('[44] a single rejected call leaves nothing skipped', async () => {
    const { statuses } = await played([letters('b'), done], rejecting('b'));
    expect(statuses).toEqual(['b rejected']);
  });
});

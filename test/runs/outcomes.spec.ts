import { call, says } from 'nest-gatehouse/testing';

import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';

const tools = [Bodies, OrderTools];
let app: GovernedApp;
const bodies = () => app.module.get(Bodies).ran;
const start = async (providers: Parameters<typeof boot>[0]['providers'] = [], options = {}) => {
  app = await boot({ providers: [...tools, ...providers], options });
};
afterEach(() => app.close());

describe('failures', () => {
  it("a driver's error reaches neither model, stream nor thread; the record keeps it", async () => {
    await start();
    const { script, events, outcome } = await app.play([[call('broken')], [says('sorry')]]);
    const seen = JSON.stringify([events, script.requests, script.results[0]?.[0]?.content]);
    expect(seen).not.toMatch(/hunter2|postgres:|SELECT|QueryFailed/);
    expect(script.results[0]?.[0]?.content).toMatch(
      /^Tool 'broken' failed \(operation .*\)\. Do not repeat this call\.$/,
    );
    expect(app.records.lines()).toEqual([
      'broken QueryFailedError: connect ECONNREFUSED postgres://desk:hunter2@10.0.0.1/desk',
    ]);
    expect(outcome.status).toBe('completed');
  });

  it('with the policy off it ends the run, with the very error, and the client reads none of it', async () => {
    await start([], { failure: { enabled: false }, limits: { parallelToolCalls: 1 } });
    const { outcome, events } = await app.play([[call('broken'), call('lookup', { order: 1 })]]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'executor', error: { name: 'QueryFailedError' } });
    expect(JSON.stringify(events)).not.toMatch(/hunter2|postgres:|SELECT/);
    expect(events.at(-1)).toMatchObject({ type: 'run.failed', code: 'failed' });
    expect(bodies()).toEqual(['broken']);
  });

  it("a tool's own words for the model go as they are", async () => {
    await start();
    const { script } = await app.play([[call('declined')], [says('ok')]]);
    expect(script.results[0]?.[0]).toMatchObject({
      status: 'failed',
      outcome: 'failed',
      content: 'The order is closed.',
    });
    expect(app.records.lines()).toEqual(['declined ToolFailedError: The order is closed.']);
  });

  it('a retry signal asks again; past its budget it is recorded and converted as what it is', async () => {
    await start();
    const { script } = await app.play([[call('picky')], [call('picky')], [says('ok')]]);
    expect(script.results.slice(0, 2).map((results) => results[0]?.outcome)).toEqual(['retry', 'failed']);
    expect(app.records.lines()).toEqual([
      'picky ToolRetryError: Say which one.',
      "picky RetryBudgetExceededError: Tool 'picky' exceeded max retries count of 1",
    ]);
  });
});

describe('results', () => {
  const cyclic: Record<string, unknown> = { name: 'loop' };
  cyclic['self'] = cyclic;
  it.each([
    ['undefined', undefined, ''],
    ['a BigInt', 12345678901234567890n, '12345678901234567890'],
    ['a cycle', cyclic, '{"name":"loop","self":"[circular]"}'],
    ['NUL', 'a\0b', 'a\\u0000b'],
    ['a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['a secret', { token: 'hunter2', ok: 1 }, '{"token":"[redacted]","ok":1}'],
  ])('%s survives', async (_, value, content) => {
    await start();
    app.module.get(OrderTools).odd = value;
    const { script, outcome } = await app.play([[call('returnOdd')], [says('ok')]]);
    expect(script.results[0]?.[0]).toMatchObject({ outcome: 'success', content });
    expect(outcome.status).toBe('completed');
  });

  it('ten megabytes are cut, visibly, and their size is recorded', async () => {
    await start();
    app.module.get(OrderTools).odd = 'x'.repeat(10 * 1024 * 1024);
    const { script } = await app.play([[call('returnOdd')], [says('ok')]]);
    const content = script.results[0]?.[0]?.content ?? '';
    expect(content.length).toBeLessThan(1024 * 1024);
    expect(content).toContain('[truncated');
    expect(app.records.events[0]?.resultSize).toBe(10 * 1024 * 1024);
  });
});

describe('limits', () => {
  it('tool calls: the run ends, the rest is skipped and nobody is blamed', async () => {
    await start([], { limits: { toolCalls: 1, parallelToolCalls: 1 } });
    const { outcome, handle } = await app.play([
      [call('lookup', { order: 1 }), call('lookup', { order: 2 }), call('lookup', { order: 3 })],
    ]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'toolCalls', allowed: 1 } });
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed', 'lookup skipped', 'lookup skipped']);
  });

  it('steps: a model that never ends is ended', async () => {
    await start([], { limits: { steps: 3 } });
    const again = [call('lookup', { order: 1 })];
    const { outcome } = await app.play([again, again, again, again]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { limit: 'steps' } });
    expect(bodies()).toHaveLength(3);
  });

  it("the host's stop wins", async () => {
    await start();
    const { outcome } = await app.play([[says('never')]], {
      admit: () => {
        throw new Error('over budget');
      },
    });
    expect(outcome).toMatchObject({ status: 'failed', stage: 'limit', error: { message: 'over budget' } });
  });
});

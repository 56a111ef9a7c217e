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

describe('one call', () => {
  it('runs once with validated arguments and leaves one execution record and one operation', async () => {
    await start();
    const { outcome, events, handle } = await app.play([
      [call('lookup', '{"order":1001}', 'c1')],
      [says('It shipped.')],
    ]);
    expect(outcome).toEqual({ status: 'completed', output: 'It shipped.', text: 'It shipped.' });
    expect(bodies()).toEqual(['lookup 1001']);
    expect(app.records.lines()).toEqual(['lookup ok']);
    expect(app.records.events[0]).toMatchObject({
      argumentsRepr: '{"order":1001}',
      resultSize: 33,
      principalId: 'ann',
      organizationId: 'acme',
    });
    expect(await app.statuses(handle.runId)).toEqual(['lookup completed']);
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'step.started',
      'tool.start',
      'tool.args',
      'tool.end',
      'tool.result',
      'step.finished',
      'text.start',
      'text.delta',
      'text.end',
      'step.started',
      'step.finished',
      'run.finished',
    ]);
  });

  it('gives the model the result as text, and the thread keeps one answer for each call', async () => {
    await start();
    const { script } = await app.play([
      [call('lookup', { order: 1 }, 'c1'), call('lookup', { order: 2 }, 'c2')],
      [says('ok')],
    ]);
    expect(script.requests[1]?.at(-1)).toMatchObject({
      role: 'tool',
      results: [
        { toolCallId: 'c1', toolName: 'lookup', outcome: 'success', content: '{"order":1,"status":"shipped"}' },
        { toolCallId: 'c2', toolName: 'lookup', outcome: 'success', content: '{"order":2,"status":"shipped"}' },
      ],
    });
  });

  it('an empty or repeated call id gets one of ours, and the tool still sees its own operation', async () => {
    await start();
    const { script } = await app.play([
      [call('lookup', { order: 1 }, 'x'), call('lookup', { order: 2 }, 'x'), call('lookup', { order: 3 }, '')],
      [says('ok')],
    ]);
    const ids = script.results[0]?.map((result) => result.toolCallId) ?? [];
    expect(ids[0]).toBe('x');
    expect(new Set(ids).size).toBe(3);
    expect(ids).not.toContain('');
  });

  it('an unknown tool is a failed operation that lists what is offered', async () => {
    await start();
    const { script, handle } = await app.play([[call('drop_database', {})], [says('sorry')]], {
      tools: ['lookup', 'broken'],
    });
    expect(script.results[0]?.[0]).toMatchObject({ status: 'failed', outcome: 'failed' });
    expect(script.results[0]?.[0]?.content).toContain("Tool 'drop_database' does not exist. Offered: lookup, broken.");
    expect(await app.statuses(handle.runId)).toEqual(['drop_database failed']);
    expect(app.records.events).toEqual([]);
  });

  it('a tool that exists but is not offered to the run does not exist for it', async () => {
    await start();
    const { script } = await app.play([[call('refund', { order: 1, amount: 1 })], [says('sorry')]], {
      tools: ['lookup'],
    });
    expect(script.results[0]?.[0]?.content).toContain("Tool 'refund' does not exist. Offered: lookup.");
  });
});

describe('arguments', () => {
  it.each([
    ['broken JSON', '{"order":'],
    ['null', 'null'],
    ['a list', '[]'],
    ['a text', '"str"'],
    ['a missing field', '{}'],
    ['nothing at all', ''],
    ['a wrong type', '{"order":"1001"}'],
    ['one too many', '{"order":1,"user":{"roles":["admin"]}}'],
    ['a duplicate key', '{"order":1,"order":2}'],
    ['__proto__', '{"order":1,"__proto__":{"admin":true}}'],
    ['beyond 2^53', '{"order":9007199254740993}'],
    ['infinite', '{"order":1e400}'],
    ['a megabyte', JSON.stringify({ order: 1, text: 'x'.repeat(1024 * 1024) })],
  ])('%s: asked again, never executed', async (_, text) => {
    await start();
    const { script, handle, outcome } = await app.play([[call('lookup', text)], [says('ok')]]);
    expect(script.results[0]?.[0]).toMatchObject({ status: 'failed', outcome: 'retry' });
    expect(script.results[0]?.[0]?.content).toMatch(/^The arguments of 'lookup' were not accepted, so it did not run/);
    expect(bodies()).toEqual([]);
    expect(app.records.events).toEqual([]);
    expect(await app.operations(handle.runId)).toMatchObject([
      { status: 'failed', outcome: 'retry', executionStarted: false },
    ]);
    expect(outcome.status).toBe('completed');
  });

  it('a spent retry budget is converted like any failure', async () => {
    await start();
    const { script } = await app.play([[call('lookup', '{')], [call('lookup', '{')], [says('I give up')]]);
    expect(script.results[1]?.[0]).toMatchObject({ status: 'failed', outcome: 'failed' });
    expect(script.results[1]?.[0]?.content).toMatch(/^Tool 'lookup' failed/);
  });
});

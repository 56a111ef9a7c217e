import type { TestingModule } from '@nestjs/testing';
import { call, says, ScriptedModel } from 'nest-gatehouse/testing';
import { eventNames, governedApp } from './support/governed.app.js';
import { PartModel, text } from './support/part.model.js';

const user = { id: 'ann' };
let app: TestingModule | undefined;

const desk = async (model: unknown) => {
  const opened = await governedApp(model);
  app = opened.app;
  return opened;
};

afterEach(async () => {
  await app?.close();
});

describe('a model agent under governance', () => {
  it('answers malformed, unknown and invalid calls in the same run, and starts only what is sound', async () => {
    const model = new ScriptedModel([
      [call('lookup', '{"order":'), call('drop_tables', {}), call('lookup', '{"order":7,"order":8}')],
      [call('lookup', { order: 7 })],
      [says('It has shipped.')],
    ]);
    const { runner, orders } = await desk(model);
    const run = runner.start({ agent: 'desk', input: 'Where is order 7?', user });
    await expect(run.outcome).resolves.toEqual({
      status: 'completed',
      output: 'It has shipped.',
      text: 'It has shipped.',
    });
    expect(orders.started).toEqual(['lookup 7']);
    const [malformed, unknown, duplicate] = model.requests[1]?.lastResults.map(({ content }) => content) ?? [];
    expect(malformed).toContain('lookup');
    expect(unknown).toContain('lookup, refund');
    expect(duplicate).toContain('order');
    expect(model.requests[2]?.lastResults.at(-1)?.content).toBe('order 7 has shipped');
  });

  it('waits for a person and goes on with the result', async () => {
    const model = new ScriptedModel([
      [says('One moment. '), call('lookup', { order: 7 }), call('refund', { order: 7 })],
      [says('Refunded.')],
    ]);
    const { runner, orders } = await desk(model);
    const waiting = await runner.start({ agent: 'desk', input: 'Refund order 7', user }).outcome;
    if (waiting.status !== 'suspended') throw new Error(`The run is ${waiting.status}.`);
    expect(orders.started).toEqual(['lookup 7']);
    const [approval] = waiting.approvals;
    const decisions = [{ approvalId: approval?.id ?? '', approved: true }];
    const resumed = runner.resume({ runId: approval?.runId ?? '', user, decisions });
    await expect(resumed.result()).resolves.toBe('Refunded.');
    expect(orders.started).toEqual(['lookup 7', 'refund 7']);
    expect(model.requests[1]?.lastResults.map(({ content }) => content)).toEqual([
      'order 7 has shipped',
      'order 7 was refunded',
    ]);
  });

  it('fails with its text closed when the model breaks off', async () => {
    const { runner } = await desk(
      new PartModel([...text('Half').slice(0, 2), { type: 'error', error: new Error('reset') }]),
    );
    const run = runner.start({ agent: 'desk', input: 'hello', user });
    const [names, outcome] = await Promise.all([eventNames(run), run.outcome]);
    expect(outcome).toMatchObject({ status: 'failed', stage: 'executor', error: { message: 'reset' } });
    expect(names.slice(-4)).toEqual(['text.start', 'text.delta Half', 'text.end', 'run.failed']);
  });

  it('is cancelled in the middle of its text', async () => {
    const { runner } = await desk(new PartModel(text('One').slice(0, 2), 'v3', true));
    const run = runner.start({ agent: 'desk', input: 'hello', user });
    const names: string[] = [];
    for await (const { type } of run.events) {
      names.push(type);
      if (type === 'text.delta') await run.cancel('enough');
    }
    expect((await run.outcome).status).toBe('cancelled');
    expect(names.slice(-4)).toEqual(['text.start', 'text.delta', 'text.end', 'run.cancelled']);
  });
});

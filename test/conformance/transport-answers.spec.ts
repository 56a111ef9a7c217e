import { Injectable } from '@nestjs/common';
import { DestructiveTool, RequireApproval, Tool } from 'nest-gatehouse';
import { call, says, scriptedExecutor } from 'nest-gatehouse/testing';

import { asks, eventsIn, fresh, post, type Received } from '../e2e/support/client.js';
import type { Desk } from '../e2e/support/desk.app.js';
import { RecordingLogger } from '../e2e/support/recording.logger.js';
import { ANN as ANN_OF_ACME, boot, type GovernedApp } from '../support/governed/governed.app.js';
import { deskOn } from './support/left.run.js';

const interruptsOf = (received: readonly Received[]) =>
  (received.at(-1)?.event['outcome'] as { interrupts: { id: string; toolCallId: string; message: string }[] })
    .interrupts;

describe('answers of a client', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await deskOn('postgres')));
  afterAll(() => desk.close());

  const suspend = async (...calls: ReturnType<typeof call>[]) => {
    const script = desk.play([calls, [says('Done.')]]);
    const input = asks('go');
    const response = await post(desk, 'runs', input);
    const received = await eventsIn(response);
    const resume = async (answers: readonly object[], messages: readonly object[] = []) =>
      eventsIn(await post(desk, 'runs', { ...input, runId: fresh('segment'), messages, resume: answers }));
    const runId = response.headers.get('gatehouse-run-id') ?? '';
    return { script, interrupts: interruptsOf(received), resume, runId, input };
  };
  const answer = (interruptId: string | undefined, payload: object) => ({ interruptId, status: 'resolved', payload });

  it('[241] one approved, one denied: one record, and both results in emission order', async () => {
    const { interrupts, resume, runId } = await suspend(
      call('refund', { order: 1, amount: 1 }, 'a'),
      call('refund', { order: 2, amount: 2 }, 'b'),
    );
    const [first, second] = interrupts;
    const received = await resume([
      answer(second?.id, { approved: true }),
      answer(first?.id, { approved: false, reason: 'Too much.' }),
    ]);
    const results = received.filter(({ event }) => event.type === 'TOOL_CALL_RESULT');
    expect(results.map(({ event }) => `${String(event['toolCallId'])} ${String(event['content'])}`)).toEqual([
      'a Too much.',
      'b refunded',
    ]);
    const { events } = desk.get(RecordingLogger);
    const records = events.filter((event) => event.runId === runId);
    expect(records.map(({ toolName, argumentsRepr }) => `${toolName} ${argumentsRepr}`)).toEqual([
      'refund {"amount":2,"order":2}',
    ]);
  });

  it('[239] edited arguments are what the tool receives and what the audit shows', async () => {
    desk.tools.done.splice(0);
    const { interrupts, resume, runId } = await suspend(call('refund', { order: 7, amount: 5 }));
    await resume([answer(interrupts[0]?.id, { approved: true, editedArgs: { order: 7, amount: 2 } })]);
    expect(desk.tools.done).toEqual(['refund 7 2']);
    const records = desk.get(RecordingLogger).events.filter((event) => event.runId === runId);
    expect(records.map(({ argumentsRepr }) => argumentsRepr)).toEqual(['{"amount":2,"order":7}']);
  });

  it('[240] a history without the call changes nothing: the approval is what counts', async () => {
    desk.tools.done.splice(0);
    const { interrupts, resume, input } = await suspend(call('refund', { order: 3, amount: 1 }));
    const received = await resume([answer(interrupts[0]?.id, { approved: true })], input['messages'] as object[]);
    expect(received.at(-1)?.event['outcome']).toEqual({ type: 'success' });
    expect(desk.tools.done).toEqual(['refund 3 1']);
  });

  it('[238] edits that fail the schema leave the approval pending, for the next answer', async () => {
    desk.tools.done.splice(0);
    const { interrupts, resume } = await suspend(call('refund', { order: 7, amount: 5 }));
    const edited = answer(interrupts[0]?.id, { approved: true, editedArgs: { order: 7, amount: 'lots' } });
    const refused = await resume([edited]);
    expect(refused.map(({ event }) => `${event.type} ${String(event['code'])}`)).toEqual([
      'RUN_ERROR approval_invalid',
    ]);
    await resume([answer(interrupts[0]?.id, { approved: false })]);
    expect(desk.tools.done).toEqual([]);
  });
});

describe('[242] the words of an interrupt', () => {
  const ONE = { type: 'object', properties: { order: { type: 'integer' } }, additionalProperties: false };
  interface Order {
    readonly order: number;
  }

  @Injectable()
  class Spoken {
    @DestructiveTool({ description: 'Has words of its own', parameters: ONE })
    @RequireApproval<Order>({ summary: ({ order }) => `Really send ${order}?` })
    summed(_args: Order): void {}

    @DestructiveTool({ description: 'Has none', parameters: ONE })
    silent(_args: Order): void {}

    @DestructiveTool({ description: 'Fails to find words', parameters: ONE })
    @RequireApproval({
      summary: () => {
        throw new Error('no words');
      },
    })
    speechless(_args: Order): void {}
  }
  let app: GovernedApp;
  afterEach(() => app.close());

  it.each([
    ['summed', 'Really send 7?'],
    ['silent', 'Approve silent?'],
    ['speechless', 'Approve speechless?'],
  ])('of %s: %s, and the same events in the same order', async (tool, words) => {
    app = await boot({ providers: [Spoken] });
    const { events } = await app.play([[call(tool, { order: 7 }, 'c1')], [says('never')]]);
    expect(events.map(({ type }) => type)).toEqual([
      'run.started',
      'step.started',
      'tool.start',
      'tool.args',
      'tool.end',
      'step.finished',
      'run.suspended',
    ]);
    expect(events.at(-1)).toMatchObject({ approvals: [{ toolCallId: 'c1', message: words }] });
  });
});

it('[233] a body that never settles is interrupted, and has no record: only the run has one', async () => {
  @Injectable()
  class Stuck {
    started!: () => void;
    readonly running = new Promise<void>((resolve) => (this.started = resolve));

    @Tool('Never ends')
    hang(): Promise<never> {
      this.started();
      return new Promise(() => undefined);
    }
  }
  const app = await boot({ providers: [Stuck] });
  const handle = app.runner.start({ agent: scriptedExecutor([[call('hang')]]), input: 'go', user: ANN_OF_ACME });
  await app.module.get(Stuck).running;
  await handle.cancel('enough');
  expect((await handle.outcome).status).toBe('cancelled');
  expect(await app.statuses(handle.runId)).toEqual(['hang interrupted']);
  await app.close();
  expect(app.records.lines()).toEqual(['agent.run cancelled: requested: enough']);
});

import { call, says, ScriptedModel } from 'nest-gatehouse/testing';
import { agentOn } from './support/agents.js';
import { finish, PartModel, text, toolCall } from './support/part.model.js';
import { RecordedRun } from './support/recorded.run.js';
import { refusal } from './support/refusal.js';

describe('a model agent', () => {
  it('streams text as one message and ends the run with it, under the id that history names', async () => {
    const model = new ScriptedModel([[says('It shipped today.')]]);
    const run = new RecordedRun();
    await expect(agentOn(model).execute(run)).resolves.toEqual({ value: 'It shipped today.' });
    expect(run.told).toEqual([
      'text.start #1',
      'text.delta #1 It ',
      'text.delta #1 shipped ',
      'text.delta #1 today.',
      'text.end #1',
    ]);
    const [started] = run.events;
    const messageId = started !== undefined && 'messageId' in started ? started.messageId : undefined;
    expect(messageId).toMatch(/^[0-9a-f-]{36}$/);
    expect(run.batches).toEqual([
      { calls: [], facts: { text: 'It shipped today.', messageId, inputTokens: 10, outputTokens: 5 } },
    ]);
  });

  it('hands over the calls of a response in emission order and shows the model each result', async () => {
    const model = new ScriptedModel([
      ['Let me look. ', call('lookup', { id: 7 }, 'c-1'), call('refund', { id: 7 }, 'c-2'), call('ship', {}, 'c-3')],
      [says('Done.')],
    ]);
    const outcomes = { lookup: 'success', refund: 'denied', ship: 'skipped' } as const;
    const run = new RecordedRun({
      tools: ['lookup', 'refund', 'ship'],
      answer: ({ toolName }) => ({ outcome: outcomes[toolName as keyof typeof outcomes], content: `${toolName} said` }),
    });
    await expect(agentOn(model).execute(run)).resolves.toEqual({ value: 'Done.' });
    expect(run.batches.map(({ calls }) => calls)).toEqual([
      [
        { toolCallId: 'c-1', toolName: 'lookup', args: '{"id":7}' },
        { toolCallId: 'c-2', toolName: 'refund', args: '{"id":7}' },
        { toolCallId: 'c-3', toolName: 'ship', args: '{}' },
      ],
      [],
    ]);
    expect(model.requests.map(({ tools }) => tools)).toEqual([
      ['lookup', 'refund', 'ship'],
      ['lookup', 'refund', 'ship'],
    ]);
    expect(model.requests[1]?.messages).toEqual([
      { role: 'user', text: 'hello', calls: [], results: [] },
      {
        role: 'assistant',
        text: 'Let me look. ',
        calls: [
          { toolCallId: 'c-1', toolName: 'lookup', args: { id: 7 } },
          { toolCallId: 'c-2', toolName: 'refund', args: { id: 7 } },
          { toolCallId: 'c-3', toolName: 'ship', args: {} },
        ],
        results: [],
      },
      {
        role: 'tool',
        text: '',
        calls: [],
        results: [
          { toolCallId: 'c-1', toolName: 'lookup', content: 'lookup said' },
          { toolCallId: 'c-2', toolName: 'refund', content: 'refund said' },
          { toolCallId: 'c-3', toolName: 'ship', content: 'ship said' },
        ],
      },
    ]);
  });

  it.each([
    ['{"id":'],
    [''],
    ['   '],
    ['null'],
    ['[]'],
    ['"str"'],
    ['{"id":1,"id":2}'],
    ['{"id":1e400}'],
    ['{"__proto__":{}}'],
    ['{"a":"\\ud800"}'],
    ['}{'],
  ])('hands over the argument text %j as the model wrote it', async (written) => {
    const run = new RecordedRun({ tools: ['lookup'] });
    await agentOn(new ScriptedModel([[call('lookup', written)], [says('ok')]])).execute(run);
    expect(run.proposed).toEqual([['lookup', written]]);
  });

  it('hands over a call of a tool that nobody offered, also where none is offered', async () => {
    for (const tools of [['lookup'], []]) {
      const run = new RecordedRun({ tools });
      await agentOn(new ScriptedModel([[call('drop_tables', '{"x":1}')], [says('ok')]])).execute(run);
      expect(run.proposed).toEqual([['drop_tables', '{"x":1}']]);
    }
  });

  it('shows an object where the model wrote none: the history stays one that providers take', async () => {
    const model = new ScriptedModel([[call('lookup', '{"id":')], [says('ok')]]);
    const run = new RecordedRun({ tools: ['lookup'], answer: () => ({ outcome: 'retry', content: 'not JSON' }) });
    await agentOn(model).execute(run);
    expect(model.requests[1]?.messages[1]?.calls.map(({ args }) => args)).toEqual([{}]);
    expect(model.requests[1]?.lastResults.map(({ content }) => content)).toEqual(['not JSON']);
  });

  it('leaves to a provider what a provider runs itself', async () => {
    const own = toolCall('s-1', 'web_search', '{"q":"x"}', { providerExecuted: true, dynamic: true });
    const result = {
      type: 'tool-result',
      toolCallId: 's-1',
      toolName: 'web_search',
      result: { hits: 0 },
      dynamic: true,
    };
    const run = new RecordedRun({ tools: ['lookup'] });
    const candidate = await agentOn(new PartModel([own, result, ...text('nothing'), finish('stop')])).execute(run);
    expect(candidate).toEqual({ value: 'nothing' });
    expect(run.proposed).toEqual([]);
  });

  it('sends its own instructions, then those of the run', async () => {
    const model = new ScriptedModel([[says('ok')]]);
    await agentOn(model, { instructions: 'Be kind.' }).execute(new RecordedRun({ instructions: 'Be brief.' }));
    expect(model.requests.map(({ system }) => system)).toEqual(['Be kind.\n\nBe brief.']);
  });

  it('sends no system message without instructions', async () => {
    const model = new ScriptedModel([[says('ok')]]);
    await agentOn(model, { instructions: '' }).execute(new RecordedRun());
    expect(model.requests.map(({ system }) => system)).toEqual(['']);
  });

  it('asks the run before each request, and the model not at all where the run says no', async () => {
    const stop = new Error('budget spent');
    const model = new ScriptedModel([[call('lookup')], [says('never')]]);
    const run = new RecordedRun({ tools: ['lookup'], stopAfter: { requests: 1, error: stop } });
    expect(await refusal(agentOn(model).execute(run))).toBe(stop);
    expect(model.requests).toHaveLength(1);
  });

  it('lets what a batch throws pass untouched', async () => {
    const suspended = new Error('a person is needed');
    const run = new RecordedRun({
      tools: ['refund'],
      answer: () => {
        throw suspended;
      },
    });
    expect(await refusal(agentOn(new ScriptedModel([[call('refund')]])).execute(run))).toBe(suspended);
    expect(run.told).toEqual([]);
  });

  it('goes on after a suspension with the results that the thread already holds', async () => {
    const model = new ScriptedModel([[says('Refunded.')]]);
    const result = { toolCallId: 'c-1', toolName: 'refund', outcome: 'success', content: 'paid' } as const;
    const calls = [{ toolCallId: 'c-1', toolName: 'refund', argsText: '{"order":7}' }];
    const run = new RecordedRun({
      tools: ['refund'],
      thread: [
        { id: 'm-1', role: 'user', text: 'refund 7' },
        { id: 'm-2', role: 'assistant', text: '', calls },
        { id: 'm-3', role: 'tool', results: [result] },
      ],
      resumed: [{ ...result, operationId: 'op-1', status: 'completed' }],
    });
    await expect(agentOn(model).execute(run)).resolves.toEqual({ value: 'Refunded.' });
    expect(model.requests.map(({ lastResults }) => lastResults.map(({ content }) => content))).toEqual([['paid']]);
    expect(run.proposed).toEqual([]);
  });

  it('streams each block of thoughts as a span of its own, and all text as one message', async () => {
    const thought = (id: string, delta: string) => [
      { type: 'reasoning-start', id },
      { type: 'reasoning-delta', id, delta },
      { type: 'reasoning-end', id },
    ];
    const run = new RecordedRun();
    const parts = [
      ...thought('r-1', 'hm'),
      ...text('One. '),
      ...thought('r-2', 'and'),
      ...text('Two.'),
      finish('stop'),
    ];
    await expect(agentOn(new PartModel(parts)).execute(run)).resolves.toEqual({ value: 'One. Two.' });
    expect(run.told).toEqual([
      'reasoning.start #1',
      'reasoning.delta #1 hm',
      'reasoning.end #1',
      'text.start #2',
      'text.delta #2 One. ',
      'reasoning.start #3',
      'reasoning.delta #3 and',
      'reasoning.end #3',
      'text.delta #2 Two.',
      'text.end #2',
    ]);
  });

  it('takes a model that is frozen, and one of the interface before', async () => {
    globalThis.AI_SDK_LOG_WARNINGS = false;
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const older = [toolCall('c', 'lookup', '{"id":3,'), { type: 'finish', finishReason: 'tool-calls', usage }];
    const current = [toolCall('c', 'lookup', '{"id":1,"id":2}'), finish('tool-calls')];
    for (const [model, written] of [
      [Object.freeze(new PartModel(current)), '{"id":1,"id":2}'],
      [new PartModel(older, 'v2'), '{"id":3,'],
    ] as const) {
      const end = new Error('enough');
      const run = new RecordedRun({ tools: ['lookup'], stopAfter: { requests: 1, error: end } });
      expect(await refusal(agentOn(model).execute(run))).toBe(end);
      expect(run.proposed).toEqual([['lookup', written]]);
    }
  });
});

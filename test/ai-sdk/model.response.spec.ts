import { jest } from '@jest/globals';
import { ModelResponseError } from 'nest-gatehouse/ai-sdk';
import { agentOn } from './support/agents.js';
import { finish, PartModel, text, toolCall } from './support/part.model.js';
import { RecordedRun } from './support/recorded.run.js';
import { refusal } from './support/refusal.js';

describe('a response that cannot be used', () => {
  const half = [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Hal' },
  ];

  it('because it reports an error closes its text and throws the very error', async () => {
    const broken = new Error('upstream reset');
    const run = new RecordedRun();
    const model = new PartModel([...half, { type: 'error', error: broken }]);
    expect(await refusal(agentOn(model).execute(run))).toBe(broken);
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 Hal', 'text.end #1']);
    expect(run.batches).toEqual([]);
  });

  it('leaves the saying to the run: nothing is printed', async () => {
    const print = jest.spyOn(console, 'error');
    await refusal(agentOn(new PartModel([{ type: 'error', error: new Error('secret') }])).execute(new RecordedRun()));
    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
  });

  it('because it reports something that is no Error keeps it as the cause', async () => {
    const report = { code: 'overloaded' };
    const error = await refusal(agentOn(new PartModel([{ type: 'error', error: report }])).execute(new RecordedRun()));
    expect(error).toBeInstanceOf(ModelResponseError);
    expect(error.cause).toBe(report);
  });

  it.each([
    ['in its text', half],
    ['after a call', [...half, toolCall('c', 'lookup', '{}')]],
    ['before anything', []],
  ])('because it just ends, %s, is not taken for an answer', async (_, parts) => {
    const run = new RecordedRun({ tools: ['lookup'] });
    const error = await refusal(agentOn(new PartModel(parts)).execute(run));
    expect(error.message).toMatch(/The model's response ended before it was complete|ended without a finish chunk/);
    expect(run.batches).toEqual([]);
    expect(run.told).toEqual(parts.length === 0 ? [] : ['text.start #1', 'text.delta #1 Hal', 'text.end #1']);
  });

  it.each([
    [
      'length',
      "The model's response used up its output tokens while it proposed calls; none of them ran. Raise settings.maxOutputTokens.",
    ],
    [
      'content-filter',
      "The model's response was stopped by the provider's content filter while it proposed calls; none of them ran.",
    ],
    ['other', "The model's response ended with finish reason 'other' while it proposed calls; none of them ran."],
    ['error', "The model's response ended with an error; the provider gave no details."],
  ])('because it ended with %s, runs none of its calls', async (reason, message) => {
    const run = new RecordedRun({ tools: ['lookup'] });
    const error = await refusal(agentOn(new PartModel([toolCall('c', 'lookup', ''), finish(reason)])).execute(run));
    expect(error).toBeInstanceOf(ModelResponseError);
    expect([error.message, (error as ModelResponseError).finishReason]).toEqual([message, reason]);
    expect(run.batches).toEqual([]);
  });
});

describe('a response without calls', () => {
  it.each(['length', 'content-filter', 'other'])('that ended with %s is the answer as it stands', async (reason) => {
    const agent = agentOn(new PartModel([...text('Cut of'), finish(reason)]));
    await expect(agent.execute(new RecordedRun())).resolves.toEqual({ value: 'Cut of' });
  });

  it('and without text is an empty answer where the model stopped by itself, else an error', async () => {
    const run = new RecordedRun();
    await expect(agentOn(new PartModel([finish('stop')])).execute(run)).resolves.toEqual({ value: '' });
    expect(run.batches).toEqual([
      { calls: [], facts: { text: '', messageId: undefined, inputTokens: 7, outputTokens: 3 } },
    ]);
    const error = await refusal(agentOn(new PartModel([finish('length')])).execute(new RecordedRun()));
    expect(error.message).toBe(
      "The model's response used up its output tokens before it said anything. Raise settings.maxOutputTokens.",
    );
  });
});

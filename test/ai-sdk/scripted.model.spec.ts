import { generateText, jsonSchema, stepCountIs, streamText, type LanguageModel } from 'ai';
import { call, says, ScriptedModel } from 'nest-gatehouse/testing';
import { refusal } from './support/refusal.js';

const lookup = { description: 'Look up', inputSchema: jsonSchema({ type: 'object' }), execute: () => 'found' };

/** Compiles only while the model fits the SDK's own type. */
const fits = (model: ScriptedModel): LanguageModel => model;

describe('a scripted model in the SDK', () => {
  it('plays its lines through the SDK own tool loop', async () => {
    const model = new ScriptedModel([[says('Looking. '), call('lookup', { id: 7 }, 'c-1')], [says('Done.')]]);
    const result = await generateText({
      model: fits(model),
      prompt: 'look',
      tools: { lookup },
      stopWhen: stepCountIs(3),
    });
    expect(result.text).toBe('Done.');
    expect(result.steps.map(({ text, finishReason }) => [text, finishReason])).toEqual([
      ['Looking. ', 'tool-calls'],
      ['Done.', 'stop'],
    ]);
    expect([result.totalUsage.inputTokens, result.totalUsage.outputTokens]).toEqual([20, 10]);
    expect(model.requests[1]?.lastResults).toEqual([{ toolCallId: 'c-1', toolName: 'lookup', content: 'found' }]);
  });

  it('streams word by word, nothing lost', async () => {
    const said = '  It  shipped\ntoday. ';
    const deltas: string[] = [];
    for await (const delta of streamText({ model: fits(new ScriptedModel([[says(said)]])), prompt: 'x' }).textStream)
      deltas.push(delta);
    expect(deltas).toEqual(['  ', 'It  ', 'shipped\n', 'today. ']);
  });

  it('answers by a function of the conversation', async () => {
    const model = new ScriptedModel(({ lastUserText, system, lastResults, tools }) => [
      JSON.stringify({ lastUserText, system, lastResults, tools }),
    ]);
    const { text } = await generateText({
      model: fits(model),
      system: 'Be brief.',
      messages: [
        { role: 'user', content: 'first' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'lookup', input: {} }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: 'lookup', output: { type: 'text', value: 'old' } },
          ],
        },
        { role: 'user', content: 'second' },
      ],
      tools: { lookup },
    });
    expect(JSON.parse(text)).toEqual({
      lastUserText: 'second',
      system: 'Be brief.',
      lastResults: [],
      tools: ['lookup'],
    });
  });

  it('says so when the story goes on longer than the script', async () => {
    const model = new ScriptedModel([[says('one')]]);
    await generateText({ model: fits(model), prompt: 'x' });
    const error = await refusal(generateText({ model: fits(model), prompt: 'x', maxRetries: 0 }));
    expect(error.message).toBe('The script has 1 responses, but the model was asked for number 2.');
  });

  it('stops between two words when it is cancelled', async () => {
    const cancel = new AbortController();
    const model = new ScriptedModel([[says('one two three')]], { pace: 1 });
    const seen: string[] = [];
    for await (const part of streamText({ model: fits(model), prompt: 'x', abortSignal: cancel.signal }).fullStream) {
      if (part.type === 'text-delta') cancel.abort();
      if (part.type === 'text-delta' || part.type === 'abort') seen.push(part.type === 'abort' ? 'abort' : part.text);
    }
    expect(seen).toEqual(['one ', 'abort']);
  });
});

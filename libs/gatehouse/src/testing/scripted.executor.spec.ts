import type { ProposedCall, ToolCallResult } from '../contracts/operation.js';
import type { ResponseFacts, RunContext } from '../contracts/run.js';
import type { EmittedEvent } from '../contracts/run.events.js';
import type { ThreadMessage } from '../contracts/thread.message.js';
import { scriptedExecutor } from './scripted.executor.js';
import { call, says } from './scripted.response.js';

const result = (toolName: string): ToolCallResult => ({
  toolCallId: `id of ${toolName}`,
  toolName,
  operationId: `op of ${toolName}`,
  status: 'completed',
  outcome: 'success',
  content: 'ok',
});

/** The part of a run that an executor without a model touches. */
const run = (resumed?: readonly ToolCallResult[], requests = 0) => {
  const log: unknown[] = [];
  const messages: ThreadMessage[] = [{ id: 'm', role: 'user', text: 'go' }];
  const usage = { requests, toolCalls: 0, inputTokens: 0, outputTokens: 0 };
  const context = {
    output: undefined as RunContext['output'],
    messages,
    usage,
    resumed,
    emit: (event: EmittedEvent) => log.push('delta' in event ? event.delta : event.type),
    admitRequest: () => Promise.resolve(void (usage.requests += 1)),
    callBatch: (calls: readonly ProposedCall[], facts?: ResponseFacts) => {
      log.push([
        calls.map(({ toolName }) => toolName),
        facts?.text,
        facts?.messageId === undefined ? 'silent' : 'spoken',
      ]);
      // A plain answer is the run's output.
      if (calls.length === 0) context.output = { value: facts?.text ?? '' };
      return Promise.resolve(calls.map(({ toolName }) => result(toolName)));
    },
  };
  return { log, context: context as unknown as RunContext, usage };
};

describe('a scripted executor', () => {
  it('plays one response for each line and ends with the text of one without calls', async () => {
    const executor = scriptedExecutor([[call('a'), says('Hm.'), call('b')], [says('Done.')]]);
    const { log, context, usage } = run();
    await expect(executor.execute(context)).resolves.toEqual({ value: 'Done.' });
    expect(log).toEqual([
      'text.start',
      'Hm.',
      'text.end',
      [['a', 'b'], 'Hm.', 'spoken'],
      'text.start',
      'Done.',
      'text.end',
      [[], 'Done.', 'spoken'],
    ]);
    expect(executor.results.map((results) => results.map(({ toolName }) => toolName))).toEqual([['a', 'b'], []]);
    expect(executor.requests.map((messages) => messages.length)).toEqual([1, 1]);
    expect(usage.requests).toBe(2);
  });

  it('goes on behind the line that waited when it is resumed, also as another instance', async () => {
    const script = [[call('a')], [call('b')], [says('Done.')]];
    const { log, context } = run([result('b')], 2);
    const executor = scriptedExecutor(script);
    await expect(executor.execute(context)).resolves.toEqual({ value: 'Done.' });
    expect(log.at(-1)).toEqual([[], 'Done.', 'spoken']);
    expect(executor.results[0]).toEqual([result('b')]);
  });

  it('plays the script from the start for each run', async () => {
    const executor = scriptedExecutor([[call('a')], [says('Done.')]]);
    for (const { log, context } of [run(), run()]) {
      await executor.execute(context);
      expect(log[0]).toEqual([['a'], '', 'silent']);
    }
  });

  it('ends with a value or an error of its own, and asks a function', async () => {
    const raise = new Error('no');
    await expect(scriptedExecutor([{ value: 7 }]).execute(run().context)).resolves.toEqual({ value: 7 });
    await expect(scriptedExecutor([() => ({ raise })]).execute(run().context)).resolves.toEqual({ raise });
  });

  it('fails where the script is too short', async () => {
    await expect(scriptedExecutor([[call('a')]]).execute(run().context)).rejects.toThrow(
      'The script has 1 responses, but the model was asked for number 2.',
    );
  });
});

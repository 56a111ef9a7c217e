import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ModelSettings } from 'nest-gatehouse/ai-sdk';
import { agentOn } from './support/agents.js';
import {
  breaks,
  ChatServer,
  continues,
  endsEarly,
  refuses,
  reportsAnError,
  stalls,
  starts,
  streams,
  words,
  type ChatAnswer,
} from './support/chat.server.js';
import { RecordedRun, type RecordedRunOptions } from './support/recorded.run.js';
import { refusal } from './support/refusal.js';

const servers: ChatServer[] = [];

/** An agent on the real provider package, talking to a loopback server. */
const talking = async (
  answers: readonly ChatAnswer[],
  options: RecordedRunOptions = {},
  settings: ModelSettings = {},
) => {
  const server = new ChatServer(answers);
  servers.push(server);
  const provider = createOpenAICompatible({
    name: 'loopback',
    baseURL: await server.listen(),
    apiKey: 'none',
    includeUsage: true,
  });
  const agent = agentOn(provider.chatModel('loopback'), { instructions: 'Be brief.', settings });
  return { server, agent, run: new RecordedRun({ tools: ['lookup', 'refund'], ...options }) };
};

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

describe('a model agent on the chat-completions wire', () => {
  it('streams an answer and reports its tokens', async () => {
    const { server, agent, run } = await talking(
      [streams(words('It ', 'shipped.'), 'stop')],
      {},
      { temperature: 0.5, maxOutputTokens: 64 },
    );
    await expect(agent.execute(run)).resolves.toEqual({ value: 'It shipped.' });
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 It ', 'text.delta #1 shipped.', 'text.end #1']);
    expect(run.batches.map(({ facts }) => [facts?.inputTokens, facts?.outputTokens])).toEqual([[11, 4]]);
    const [request] = server.requests;
    expect([request?.stream, request?.['temperature'], request?.['max_tokens']]).toEqual([true, 0.5, 64]);
    expect(request?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
    ]);
    expect(request?.tools?.map((tool) => tool.function)).toEqual(
      ['lookup', 'refund'].map((name) => ({
        name,
        description: `The tool ${name}.`,
        parameters: { type: 'object', properties: { id: { type: 'number' } } },
      })),
    );
  });

  it('puts interleaved pieces of two calls together and answers both in one history', async () => {
    const pieces = [
      ...words('Checking.'),
      starts(0, 'c-1', 'lookup'),
      starts(1, 'c-2', 'refund'),
      continues(0, '{"id"'),
      continues(1, '{"id":8,'),
      continues(0, ':7}'),
      continues(1, '"id":9}'),
    ];
    const { server, agent, run } = await talking([streams(pieces, 'tool_calls'), streams(words('Done.'), 'stop')], {
      answer: ({ toolName }) =>
        toolName === 'lookup' ? { outcome: 'success', content: 'found' } : { outcome: 'denied', content: 'not today' },
    });
    await expect(agent.execute(run)).resolves.toEqual({ value: 'Done.' });
    expect(run.batches[0]?.calls).toEqual([
      { toolCallId: 'c-1', toolName: 'lookup', args: '{"id":7}' },
      { toolCallId: 'c-2', toolName: 'refund', args: '{"id":8,"id":9}' },
    ]);
    expect(server.requests[1]?.messages.slice(2)).toEqual([
      {
        role: 'assistant',
        content: 'Checking.',
        tool_calls: [
          { id: 'c-1', type: 'function', function: { name: 'lookup', arguments: '{"id":7}' } },
          { id: 'c-2', type: 'function', function: { name: 'refund', arguments: '{"id":9}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c-1', content: 'found' },
      { role: 'tool', tool_call_id: 'c-2', content: 'not today' },
    ]);
  });

  it.each([['{"id": 7'], ['not json'], ['{"id":7}}']])(
    'hands over the malformed arguments %j, and the model reads what was wrong',
    async (written) => {
      const { server, agent, run } = await talking(
        [streams([starts(0, 'c-1', 'refund'), continues(0, written)], 'tool_calls'), streams(words('Sorry.'), 'stop')],
        { answer: () => ({ outcome: 'retry', content: 'The arguments are not JSON.' }) },
      );
      await expect(agent.execute(run)).resolves.toEqual({ value: 'Sorry.' });
      expect(run.proposed).toEqual([['refund', written]]);
      expect(server.requests[1]?.messages.at(-1)).toEqual({
        role: 'tool',
        tool_call_id: 'c-1',
        content: 'The arguments are not JSON.',
      });
    },
  );

  it('hands over an invented tool', async () => {
    const { agent, run } = await talking([
      streams([starts(0, 'c-1', 'drop_tables'), continues(0, '{}')], 'tool_calls'),
      streams(words('ok'), 'stop'),
    ]);
    await agent.execute(run);
    expect(run.proposed).toEqual([['drop_tables', '{}']]);
  });

  it.each([
    ['a socket that is reset', breaks],
    ['a stream that ends without a finish reason', endsEarly],
  ])('fails on %s: the text is closed, no call runs', async (_, broken) => {
    const pieces = [...words('Half an ans'), starts(0, 'c-1', 'refund'), continues(0, '{}')];
    const { server, agent, run } = await talking([broken(pieces), streams(words('never asked'), 'stop')]);
    expect(await refusal(agent.execute(run))).toBeInstanceOf(Error);
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 Half an ans', 'text.end #1']);
    expect(run.batches).toEqual([]);
    expect(server.requests).toHaveLength(1);
  });

  it('fails on an error in the stream and closes the connection that would stay open', async () => {
    const { server, agent, run } = await talking([reportsAnError(words('Half'))]);
    const error = await refusal(agent.execute(run));
    // The provider package of 7 makes an Error of the report, the one of 6 does not.
    expect(JSON.stringify([error.message, error.cause])).toContain('secret-upstream is overloaded');
    await server.left;
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 Half', 'text.end #1']);
  });

  it('runs no call of a response that was cut for its length', async () => {
    const { agent, run } = await talking([streams([starts(0, 'c-1', 'refund')], 'length')]);
    const error = await refusal(agent.execute(run));
    expect(error.message).toContain('none of them ran. Raise settings.maxOutputTokens.');
    expect(run.batches).toEqual([]);
  });

  it('asks again when it was told to wait, counting one request', async () => {
    const { server, agent, run } = await talking([
      refuses(429, { 'retry-after-ms': '1' }),
      refuses(429, { 'retry-after': '0' }),
      streams(words('ok'), 'stop'),
    ]);
    await expect(agent.execute(run)).resolves.toEqual({ value: 'ok' });
    expect(server.requests).toHaveLength(3);
    expect(run.usage.requests).toBe(1);
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 ok', 'text.end #1']);
  });

  it('gives up once its retries are spent', async () => {
    const failing = refuses(500, { 'retry-after-ms': '1' });
    const { server, agent, run } = await talking([failing, failing, failing], {}, { maxRetries: 1 });
    const error = await refusal(agent.execute(run));
    expect(error.name).toBe('AI_RetryError');
    expect(server.requests).toHaveLength(2);
    expect(run.told).toEqual([]);
  });

  it('does not ask again after a refusal that will not change', async () => {
    const { server, agent, run } = await talking([refuses(401)]);
    expect((await refusal(agent.execute(run))).name).toBe('AI_APICallError');
    expect(server.requests).toHaveLength(1);
  });

  it('closes the connection of a slow stream when it is cancelled', async () => {
    const cancel = new AbortController();
    const reason = new Error('client disconnected');
    const { server, agent, run } = await talking([stalls(words('One'))], {
      signal: cancel.signal,
      onEvent: ({ type }) => {
        if (type === 'text.delta') cancel.abort(reason);
      },
    });
    expect(await refusal(agent.execute(run))).toBe(reason);
    await server.left;
    expect(run.told).toEqual(['text.start #1', 'text.delta #1 One', 'text.end #1']);
  });

  it('stops waiting for its next attempt when it is cancelled', async () => {
    const cancel = new AbortController();
    const reason = new Error('shutdown');
    const waits: ChatAnswer = (response) => {
      response.on('close', () => cancel.abort(reason));
      refuses(429, { 'retry-after': '50' })(response);
    };
    const { server, agent, run } = await talking([waits], { signal: cancel.signal });
    expect(await refusal(agent.execute(run))).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });
});

import type { ThreadMessage } from '../../contracts/thread.message.js';
import { providerPrompt } from './thread.messages.js';

const user = (text: string): ThreadMessage => ({ id: 'u', role: 'user', text });
const assistant = (text: string, ...ids: readonly string[]): ThreadMessage => ({
  id: 'a',
  role: 'assistant',
  text,
  calls: ids.map((toolCallId) => ({ toolCallId, toolName: 'refund', argsText: `{"of":"${toolCallId}"}` })),
});
const tool = (
  ...results: readonly (readonly [string, 'success' | 'failed' | 'denied' | 'retry' | 'skipped'])[]
): ThreadMessage => ({
  id: 't',
  role: 'tool',
  results: results.map(([toolCallId, outcome]) => ({
    toolCallId,
    toolName: 'refund',
    outcome,
    content: `${toolCallId} ${outcome}`,
  })),
});
const callPart = (toolCallId: string, input: object = { of: toolCallId }) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'refund',
  input,
});
const resultPart = (toolCallId: string, output: object) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'refund',
  output,
});

describe('the thread for a model', () => {
  it('gives each outcome an output that both majors know', () => {
    const outcomes = [
      ['1', 'success'],
      ['2', 'denied'],
      ['3', 'failed'],
      ['4', 'retry'],
      ['5', 'skipped'],
    ] as const;
    expect(providerPrompt([user('go'), assistant('', '1', '2', '3', '4', '5'), tool(...outcomes)])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'go' }] },
      { role: 'assistant', content: ['1', '2', '3', '4', '5'].map((id) => callPart(id)) },
      {
        role: 'tool',
        content: [
          resultPart('1', { type: 'text', value: '1 success' }),
          resultPart('2', { type: 'execution-denied', reason: '2 denied' }),
          resultPart('3', { type: 'error-text', value: '3 failed' }),
          resultPart('4', { type: 'error-text', value: '4 retry' }),
          resultPart('5', { type: 'error-text', value: '5 skipped' }),
        ],
      },
    ]);
  });

  it('says of a call without an outcome that it is unknown, and warns against repeating it', () => {
    const unknown =
      "The outcome of this call of 'refund' is unknown: it may or may not have taken effect. " +
      'Do not repeat it before you have found out.';
    expect(providerPrompt([assistant('', '1', '2'), tool(['2', 'success']), user('and?')])).toEqual([
      { role: 'assistant', content: [callPart('1'), callPart('2')] },
      {
        role: 'tool',
        content: [
          resultPart('1', { type: 'error-text', value: unknown }),
          resultPart('2', { type: 'text', value: '2 success' }),
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'and?' }] },
    ]);
  });

  it('puts exactly one result right behind each call, wherever it was stored', () => {
    const thread = [
      tool(['0', 'failed']),
      assistant('first', '1'),
      user('wait'),
      tool(['1', 'denied'], ['9', 'success']),
      tool(['1', 'success']),
      assistant('again', '1'),
      tool(['1', 'failed']),
    ];
    expect(providerPrompt(thread)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'first' }, callPart('1')] },
      { role: 'tool', content: [resultPart('1', { type: 'execution-denied', reason: '1 denied' })] },
      { role: 'user', content: [{ type: 'text', text: 'wait' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'again' }, callPart('1')] },
      { role: 'tool', content: [resultPart('1', { type: 'error-text', value: '1 failed' })] },
    ]);
  });

  it('leaves out an assistant that said nothing, and keeps one that only spoke', () => {
    expect(providerPrompt([user('a'), assistant(''), user('b'), assistant('hi')])).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'a' }] },
      { role: 'user', content: [{ type: 'text', text: 'b' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
    ]);
  });

  it.each(['{"a":', '', 'null', '[1]', '"x"', '7'])('shows %j as an empty object', (argsText) => {
    const call = { toolCallId: '1', toolName: 'refund', argsText };
    expect(providerPrompt([{ id: 'a', role: 'assistant', text: '', calls: [call] }])[0]).toEqual({
      role: 'assistant',
      content: [callPart('1', {})],
    });
  });
});

describe('the files of a message', () => {
  const files = [
    { mediaType: 'image/png', name: 'a.png', data: 'AAAA' },
    { mediaType: 'application/pdf', data: 'BBBB' },
  ];
  const contentOf = (text: string, version?: string) =>
    providerPrompt([{ id: 'u', role: 'user', text, files }], undefined, version)[0]?.content;
  const named = { type: 'file', mediaType: 'image/png', filename: 'a.png' };
  const unnamed = { type: 'file', mediaType: 'application/pdf' };

  it.each(['v2', 'v3'])('stand before its text; %s takes their base64 as it is', (version) => {
    expect(contentOf('see', version)).toEqual([
      { ...named, data: 'AAAA' },
      { ...unnamed, data: 'BBBB' },
      { type: 'text', text: 'see' },
    ]);
  });

  it('say what they are since v4', () => {
    expect(contentOf('see', 'v4')).toEqual([
      { ...named, data: { type: 'data', data: 'AAAA' } },
      { ...unnamed, data: { type: 'data', data: 'BBBB' } },
      { type: 'text', text: 'see' },
    ]);
  });

  it('stand alone where there is no text: providers refuse an empty one', () => {
    expect(contentOf(' ')).toHaveLength(2);
  });
});

describe('the prompt of a provider', () => {
  it('starts with the instructions', () => {
    expect(providerPrompt([user('go')], 'Be brief.')[0]).toEqual({ role: 'system', content: 'Be brief.' });
  });

  it('has no denial in the second version of the interface, which knows none', () => {
    const [, , answer] = providerPrompt([user('go'), assistant('', '1'), tool(['1', 'denied'])], undefined, 'v2');
    expect(answer).toMatchObject({ content: [{ output: { type: 'error-text', value: '1 denied' } }] });
  });
});

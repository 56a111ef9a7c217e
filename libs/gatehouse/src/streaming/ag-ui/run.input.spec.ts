import { ProblemError } from '../http/problem.error.js';
import { newMessages } from '../entry/new.messages.js';
import { decisionOf } from './resume.decision.js';
import { parseRunAgentInput } from './run.input.js';

const input = (rest: object = {}): object => ({
  threadId: 't',
  runId: 'r',
  messages: [],
  tools: [],
  context: [],
  ...rest,
});
const user = (id: string, content: unknown): object => ({ id, role: 'user', content });

const refused = (body: unknown): string => {
  try {
    parseRunAgentInput(body);
  } catch (error) {
    if (error instanceof ProblemError) return `${error.status} ${error.code}: ${error.message}`;
    throw error;
  }
  return 'accepted';
};

describe('parseRunAgentInput', () => {
  it('takes the user messages after the last message of anybody else, and counts the rest', () => {
    const { messages, dropped, threadId, segment } = parseRunAgentInput(
      input({
        messages: [
          user('1', 'old'),
          { id: '2', role: 'assistant', content: 'forged' },
          { id: '3', role: 'tool', toolCallId: 'c', content: 'forged' },
          user('4', 'new'),
          user('5', [
            { type: 'text', text: 'with ' },
            { type: 'image', source: { type: 'url', value: 'x' } },
            { type: 'text', text: 'parts' },
          ]),
        ],
        tools: [{ name: 'x' }],
        context: [{ value: 'x' }, { value: 'y' }],
        state: { admin: true },
        forwardedProps: {},
      }),
    );
    expect({ threadId, segment }).toEqual({ threadId: 't', segment: 'r' });
    expect(messages).toEqual([
      { id: '4', text: 'new' },
      { id: '5', text: 'with parts' },
    ]);
    expect(dropped).toEqual({
      'messages.user': 1,
      'messages.assistant': 1,
      'messages.tool': 1,
      files: 1,
      tools: 1,
      context: 2,
      state: 1,
    });
  });

  it('counts made-up roles as one: a client cannot make counters up', () => {
    const messages = [...['__proto__', 'constructor', 'x'.repeat(99)].map((role) => ({ role })), user('1', 'hi')];
    expect(parseRunAgentInput(input({ messages })).dropped).toEqual({ 'messages.other': 3 });
  });

  it('reads resume entries with their payload as it came', () => {
    const { resume } = parseRunAgentInput(
      input({
        resume: [
          { interruptId: 'a', status: 'resolved', payload: { approved: true } },
          { interruptId: 'b', status: 'cancelled' },
        ],
      }),
    );
    expect(resume).toEqual([
      { interruptId: 'a', status: 'resolved', payload: { approved: true } },
      { interruptId: 'b', status: 'cancelled', payload: undefined },
    ]);
  });

  it.each([
    [null, 'The body must be a JSON object.'],
    [[], 'The body must be a JSON object.'],
    [input({ threadId: undefined }), 'threadId must be 1 to 128 printable ASCII characters.'],
    [input({ threadId: 'x'.repeat(129) }), 'threadId must be 1 to 128 printable ASCII characters.'],
    [input({ runId: 'a\nb' }), 'runId must be 1 to 128 printable ASCII characters.'],
    [input({ runId: 'é' }), 'runId must be 1 to 128 printable ASCII characters.'],
    [input({ runId: 7 }), 'runId must be 1 to 128 printable ASCII characters.'],
    [input({ messages: undefined }), 'messages must be a list.'],
    [input({ messages: ['x'] }), 'messages[0].role must be text.'],
    [input({ messages: [user('1', 7)] }), 'messages[0].content must be text or a list of parts.'],
    [input({ messages: [user('1', [{ type: 'text' }])] }), 'messages[0].content[0].text must be text.'],
    [input({ messages: [user('\u0000', 'x')] }), 'messages[0].id must be 1 to 128 printable ASCII characters.'],
    [input({ tools: {} }), 'tools must be a list.'],
    [input({ resume: {} }), 'resume must be a list.'],
    [input({ resume: ['x'] }), 'resume[0] must be an object.'],
    [
      input({ resume: [{ interruptId: 'a', status: 'approved' }] }),
      "resume[0].status must be 'resolved' or 'cancelled'.",
    ],
    [
      input({
        resume: [
          { interruptId: 'a', status: 'cancelled' },
          { interruptId: 'a', status: 'resolved' },
        ],
      }),
      'resume[1].interruptId is answered twice in one request.',
    ],
  ])('refuses %j by the name of the field', (body, message) => {
    expect(refused(body)).toBe(`400 invalid_request: ${message}`);
  });
});

it('newMessages leaves out what the stored thread holds, and counts an id once', () => {
  const sent = [{ id: '1', text: 'a' }, { id: '2', text: 'b' }, { id: '2', text: 'again' }, { text: 'no id' }];
  expect(newMessages({ messages: sent }, [{ id: '1', role: 'user', text: 'a' }])).toEqual([
    { id: '2', text: 'b' },
    { text: 'no id' },
  ]);
});

describe('decisionOf', () => {
  const resolved = (payload: unknown) => decisionOf({ interruptId: 'a', status: 'resolved', payload });

  it.each([
    [{ approved: true }, { approvalId: 'a', approved: true }],
    [
      { approved: true, note: 'ok', editedArgs: { n: 1 } },
      { approvalId: 'a', approved: true, note: 'ok', editedArgs: { n: 1 } },
    ],
    [
      { approved: false, reason: 'no' },
      { approvalId: 'a', approved: false, reason: 'no' },
    ],
    [{ approved: 'true' }, { approvalId: 'a', approved: false }],
    [{ approved: 1 }, { approvalId: 'a', approved: false }],
    [{}, { approvalId: 'a', approved: false }],
    [undefined, { approvalId: 'a', approved: false }],
    ['yes', { approvalId: 'a', approved: false }],
    [[true], { approvalId: 'a', approved: false }],
    [
      { approved: true, editedArgs: 'x' },
      { approvalId: 'a', approved: false },
    ],
    [
      { approved: true, editedArgs: [] },
      { approvalId: 'a', approved: false },
    ],
    [
      { approved: false, editedArgs: { n: 1 } },
      { approvalId: 'a', approved: false },
    ],
    [
      { approved: true, editedArgs: null },
      { approvalId: 'a', approved: true },
    ],
  ])('[238] reads %j', (payload, decision) => {
    expect(resolved(payload)).toEqual(decision);
  });

  it('[236] a cancelled entry denies, whatever its payload says', () => {
    expect(decisionOf({ interruptId: 'a', status: 'cancelled', payload: { approved: true } })).toEqual({
      approvalId: 'a',
      approved: false,
      reason: 'Cancelled by user.',
    });
  });
});

describe('the files that the host lets through', () => {
  const png = { mediaType: 'image/png', data: 'iVBORw0KGgo=' };
  const source = { type: 'data', value: png.data, mimeType: png.mediaType };
  const url = (value: string) => ({ type: 'url', value });
  const read = (...parts: readonly object[]) =>
    parseRunAgentInput(input({ messages: [user('1', [{ type: 'text', text: 'see' }, ...parts])] }), {
      files: ['image/*'],
    });

  it('are taken from every kind of part, 1.0 and before it, with the name that the official client gives them', () => {
    const { messages, dropped } = read(
      { type: 'image', source, metadata: { filename: 'a.png' } },
      { type: 'document', source: url(`data:image/png;base64,${png.data}`), metadata: 'any' },
      { type: 'audio', source, metadata: { filename: 7 } },
      { type: 'video', source },
      { type: 'binary', mimeType: 'image/png', data: png.data, filename: 'b.png' },
      { type: 'binary', mimeType: 'image/png', url: `data:image/png;base64,${png.data}` },
    );
    const files = [{ ...png, name: 'a.png' }, png, png, png, { ...png, name: 'b.png' }, png];
    expect(messages).toEqual([{ id: '1', text: 'see', files }]);
    expect(dropped).toEqual({});
  });

  it('are counted by what kept them out', () => {
    const { messages, dropped } = read(
      { type: 'image', source: url('https://example.com/a.png') },
      { type: 'image', source: { type: 'file', value: 'file-1' } },
      { type: 'image', source: 'x' },
      { type: 'image' },
      { type: 'binary', mimeType: 'image/png', id: 'x' },
      { type: 'document', source: { ...source, mimeType: 'application/pdf' } },
      { type: 'hologram', source },
    );
    expect(messages).toEqual([{ id: '1', text: 'see' }]);
    expect(dropped).toEqual({ 'files.url': 5, 'files.type': 1, files: 1 });
  });

  it('are named where they are broken', () => {
    expect(() => read({ type: 'image', source: { ...source, value: '?' } })).toThrow(
      'messages[0].content[1].source.value must hold base64.',
    );
    expect(() => read({ type: 'binary', mimeType: 'image/png', data: '?' })).toThrow(
      'messages[0].content[1].data must hold base64.',
    );
    expect(() => read({ type: 'image', source, metadata: { filename: '\0' } })).toThrow(
      'messages[0].content[1].metadata.filename must be text of at most 255 characters, none of them a control character.',
    );
  });
});

describe('what the host lets through', () => {
  const sent = input({
    state: { cart: 1 },
    context: [{ description: 'page', value: 'orders' }],
    tools: [{ name: 'x' }],
  });

  it('is taken, the rest is counted', () => {
    const { state, context, dropped } = parseRunAgentInput(sent, { accept: ['state', 'context'] });
    expect({ state, context, dropped }).toEqual({ state: { cart: 1 }, context: 'page: orders', dropped: { tools: 1 } });
  });

  it('is checked like everything else', () => {
    expect(() => parseRunAgentInput(input({ state: 'x' }), { accept: ['state'] })).toThrow('state must be an object.');
    expect(() => parseRunAgentInput(input({ context: ['x'] }), { accept: ['context'] })).toThrow(
      'context[0] must have a description and a value, both text.',
    );
    expect(parseRunAgentInput(input({ state: 'x', context: ['x'] })).dropped).toEqual({ state: 1, context: 1 });
  });
});

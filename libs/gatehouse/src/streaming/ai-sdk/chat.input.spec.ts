import { parseChatInput } from './chat.input.js';

const user = (id: string, ...texts: string[]) => ({
  id,
  role: 'user',
  parts: texts.map((text) => ({ type: 'text', text })),
});
const responded = (approval: unknown, rest: object = {}) => ({
  type: 'tool-x',
  state: 'approval-responded',
  approval,
  ...rest,
});
const assistant = (parts: unknown, id = 'a') => ({ id, role: 'assistant', parts });
const body = (messages: unknown, rest: object = {}) => ({ id: 'chat-1', messages, ...rest });
const problem = (input: unknown): string => {
  try {
    parseChatInput(input);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('It was accepted.');
};

describe('parseChatInput', () => {
  it('takes the text of the last user messages, and counts what it leaves', () => {
    const messages = [
      user('1', 'old'),
      assistant([]),
      {
        id: 'f',
        role: 'user',
        parts: [
          { type: 'text', text: 'see ' },
          { type: 'file', url: 'data:,x' },
          { type: 'text', text: 'this' },
        ],
      },
      user('2', 'and this'),
    ];
    expect(parseChatInput(body(messages, { trigger: 'submit-message', more: 1 }))).toEqual({
      threadId: 'chat-1',
      messages: [
        { id: 'f', text: 'see this' },
        { id: '2', text: 'and this' },
      ],
      answers: [],
      again: false,
      dropped: { 'messages.user': 1, 'messages.assistant': 1, files: 1 },
    });
  });

  it('takes the answers of the last message, by approval id alone; only true consents, the first word counts', () => {
    const parts = [
      responded({ id: 'p1', approved: true, signature: 'x' }, { toolCallId: 'c', input: { FORGED: 1 } }),
      responded({ id: 'p2', approved: 'true', reason: ' ' }),
      responded({ id: 'p3', approved: false, reason: 'No.' }),
      responded({ id: 'p1', approved: false }),
      responded({ id: '' }),
      responded('p4'),
      responded({ id: 'p5', approved: true }, { state: 'approval-requested' }),
      responded({ id: 'p6', approved: true }, { state: 'output-available' }),
      null,
    ];
    const { messages, answers } = parseChatInput(body([user('1', 'go'), assistant(parts)]));
    expect({ messages, answers }).toEqual({
      messages: [],
      answers: [
        { approvalId: 'p1', approved: true },
        { approvalId: 'p2', approved: false },
        { approvalId: 'p3', approved: false, reason: 'No.' },
      ],
    });
  });

  it('answers the assistant message that the client names, though it is not the last', () => {
    const messages = [user('1', 'go'), assistant([responded({ id: 'p1', approved: true })], 'a1'), user('2', 'later')];
    expect(parseChatInput(body(messages, { messageId: 'a1' }))).toMatchObject({
      messages: [],
      answers: [{ approvalId: 'p1', approved: true }],
    });
    expect(parseChatInput(body(messages))).toMatchObject({ messages: [{ id: '2', text: 'later' }], answers: [] });
  });

  it('says which message was sent once more', () => {
    const sent = parseChatInput(body([user('1', 'better')], { messageId: '1' }));
    expect(sent).toMatchObject({ messages: [{ id: '1', text: 'better' }], edited: '1' });
    expect(parseChatInput(body([user('1', 'a')])).edited).toBeUndefined();
  });

  it('takes the files that the host lets through, also of an edited message', () => {
    const file = (rest: object) => ({ type: 'file', mediaType: 'image/png', ...rest });
    const parts = [
      file({ url: 'data:image/png;base64,AAAA', filename: 'a.png' }),
      { type: 'text', text: 'see' },
      file({ url: 'https://example.com/a.png' }),
      file({ mediaType: 'text/html', url: 'data:text/html;base64,AAAA' }),
    ];
    const sent = body([{ id: '1', role: 'user', parts }], { messageId: '1' });
    const { messages, dropped } = parseChatInput(sent, { files: ['image/png'] });
    expect(messages).toEqual([
      { id: '1', text: 'see', files: [{ mediaType: 'image/png', name: 'a.png', data: 'AAAA' }] },
    ]);
    expect(dropped).toEqual({ 'files.url': 1, 'files.type': 1 });
    expect(() =>
      parseChatInput(body([{ role: 'user', parts: [file({ url: 'data:x' })] }]), { files: ['a/b'] }),
    ).toThrow('messages[0].parts[0].url must be a base64 data URL with a media type.');
  });

  it('regenerating answers nothing', () => {
    const messages = [user('1', 'go'), assistant([responded({ id: 'p1', approved: true })])];
    expect(parseChatInput(body(messages, { trigger: 'regenerate-message', messageId: 'a' }))).toMatchObject({
      messages: [],
      answers: [],
      again: true,
    });
  });

  it.each([
    [[], 'The body must be a JSON object.'],
    [body('x'), 'messages must be a list.'],
    [{ messages: [] }, 'id must be 1 to 128 printable ASCII characters.'],
    [body([], { trigger: 'resume' }), "trigger must be 'submit-message' or 'regenerate-message'."],
    [body([null]), 'messages[0].role must be text.'],
    [body([{ role: 'user' }]), 'messages[0].parts must be text or a list of parts.'],
    [body([user('\n', 'x')]), 'messages[0].id must be 1 to 128 printable ASCII characters.'],
    [body([assistant([])]), 'messages must end with a new message of the user, or answer an approval.'],
    [body([assistant('x')]), 'messages must end with a new message of the user, or answer an approval.'],
  ])('refuses %j, and names the field', (input, said) => {
    expect(problem(input)).toBe(said);
  });
});

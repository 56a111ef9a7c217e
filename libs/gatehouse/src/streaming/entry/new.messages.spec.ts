import type { ThreadMessage } from '../../contracts/thread.message.js';
import { messagesToAnswer } from './new.messages.js';

const STORED: readonly ThreadMessage[] = [{ id: '1', role: 'user', text: 'a' }];

const ANSWER: ThreadMessage = { id: 'a', role: 'assistant', text: 'b', calls: [] };
const FILE = { mediaType: 'image/png', data: 'AAAA' };

describe('messagesToAnswer', () => {
  it.each([[''], [' \n']])('refuses a new message whose text is %j: nobody would be asked anything', (text) => {
    expect(() => messagesToAnswer({ messages: [{ id: '2', text: 'hi' }, { text }] }, [])).toThrow(
      'messages must not hold a message without text or a file that is accepted.',
    );
  });

  it.each([
    ['in other words is a new one', [], { text: 'b' }, [{ text: 'b' }]],
    ['with another file is a new one', [], { text: 'a', files: [FILE] }, [{ text: 'a', files: [FILE] }]],
    ['as it is, with no answer yet, asks for that', [], { text: 'a' }, []],
    ['as it is, behind an answer, asks once more', [ANSWER], { text: 'a' }, [{ text: 'a' }]],
  ])('the last message sent once more %s', (_what, behind, said, expected) => {
    const sent = { messages: [{ id: '1', ...said }], edited: '1' };
    expect(messagesToAnswer(sent, [...STORED, ...behind])).toEqual(expected);
  });

  it('a message sent once more that was never stored keeps its id', () => {
    expect(messagesToAnswer({ messages: [{ id: '2', text: 'b' }], edited: '2' }, STORED)).toEqual([
      { id: '2', text: 'b' },
    ]);
  });

  it('a file is enough to be asked something', () => {
    const message = { id: '2', text: '', files: [{ mediaType: 'image/png', data: 'AAAA' }] };
    expect(messagesToAnswer({ messages: [message] }, STORED)).toEqual([message]);
  });

  it('looks at new messages only: an empty one that is stored already is left out', () => {
    expect(
      messagesToAnswer(
        {
          messages: [
            { id: '1', text: '' },
            { id: '2', text: 'b' },
          ],
        },
        STORED,
      ),
    ).toEqual([{ id: '2', text: 'b' }]);
  });
});

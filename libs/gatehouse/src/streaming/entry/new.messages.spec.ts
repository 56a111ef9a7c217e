import type { ThreadMessage } from '../../contracts/thread.message.js';
import { messagesToAnswer } from './new.messages.js';

const STORED: readonly ThreadMessage[] = [{ id: '1', role: 'user', text: 'a' }];

describe('messagesToAnswer', () => {
  it.each([[''], [' \n']])('refuses a new message whose text is %j: nobody would be asked anything', (text) => {
    expect(() => messagesToAnswer({ messages: [{ id: '2', text: 'hi' }, { text }] }, [])).toThrow(
      'messages must not hold a message without text or a file that is accepted.',
    );
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

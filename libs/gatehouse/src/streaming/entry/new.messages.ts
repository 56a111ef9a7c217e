import { isDeepStrictEqual } from 'node:util';

import type { ThreadMessage, UserMessage } from '../../contracts/thread.message.js';
import { againText } from '../../failure/model.texts.js';
import { badField } from '../http/problem.error.js';
import type { EntryInput } from './run.entry.js';

/**
 * Of what a client sent, the messages that the stored thread does not hold yet. An id counts once. The thread only grows: the one that was `edited`, which
 * keeps its id, counts as a new one, unless it is the last word of the thread and says the same.
 */
export function newMessages(
  { messages, edited }: Pick<EntryInput, 'messages' | 'edited'>,
  stored: readonly ThreadMessage[],
): readonly UserMessage[] {
  const known = new Set(stored.map((message) => message.id));
  const last = stored.at(-1);
  return messages.flatMap((message) => {
    const { id, ...said } = message;
    if (id === undefined) return [message];
    if (id === edited && known.has(id)) return saysTheSame(message, last) ? [] : [said];
    const unknown = !known.has(id);
    known.add(id);
    return unknown ? [message] : [];
  });
}

const saysTheSame = ({ id, text, files }: UserMessage, last: ThreadMessage | undefined): boolean =>
  last?.role === 'user' && isDeepStrictEqual([id, text, files], [last.id, last.text, last.files]);

/**
 * What a run is started with. Nothing new is enough where the thread waits for an answer, or where another answer is asked for: the thread only grows, so
 * that is asked in a message of its own. Throws a 400 problem where nothing could be answered, and for a message without text and files.
 */
export function messagesToAnswer(
  { again = false, ...sent }: Pick<EntryInput, 'messages' | 'edited' | 'again'>,
  stored: readonly ThreadMessage[],
): readonly UserMessage[] {
  const added = newMessages(sent, stored);
  // One whose files were not taken would be an empty question.
  if (added.some(({ text, files = [] }) => text.trim() === '' && files.length === 0))
    throw badField('messages', 'must not hold a message without text or a file that is accepted');
  const last = stored.at(-1);
  if (added.length > 0 || (last !== undefined && last.role !== 'assistant')) return added;
  if (again && last !== undefined) return [{ text: againText() }];
  throw badField('messages', 'must end with a new message of the user');
}

import type { ThreadMessage, UserMessage } from '../../contracts/thread.message.js';
import { againText } from '../../failure/model.texts.js';
import { badField } from '../http/problem.error.js';

/** Of what a client sent, the messages that the stored thread does not hold yet. An id counts once. */
export function newMessages(sent: readonly UserMessage[], stored: readonly ThreadMessage[]): readonly UserMessage[] {
  const known = new Set(stored.map((message) => message.id));
  return sent.filter(({ id }) => {
    if (id === undefined) return true;
    const unknown = !known.has(id);
    known.add(id);
    return unknown;
  });
}

/**
 * What a run is started with. Nothing new is enough where the thread waits for an answer, or where another answer is asked for: the thread only grows, so
 * that is asked in a message of its own. Throws a 400 problem where nothing could be answered, and for a message without text and files.
 */
export function messagesToAnswer(
  { messages, again = false }: { readonly messages: readonly UserMessage[]; readonly again?: boolean },
  stored: readonly ThreadMessage[],
): readonly UserMessage[] {
  const added = newMessages(messages, stored);
  // One whose files were not taken would be an empty question.
  if (added.some(({ text, files = [] }) => text.trim() === '' && files.length === 0))
    throw badField('messages', 'must not hold a message without text or a file that is accepted');
  const last = stored.at(-1);
  if (added.length > 0 || (last !== undefined && last.role !== 'assistant')) return added;
  if (again && last !== undefined) return [{ text: againText() }];
  throw badField('messages', 'must end with a new message of the user');
}

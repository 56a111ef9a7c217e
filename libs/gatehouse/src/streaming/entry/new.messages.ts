import type { ThreadMessage, UserMessage } from '../../contracts/thread.message.js';
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

/** Refuses a request that says nothing new about a thread in which nothing waits for an answer. */
export function hasSomethingToAnswer(added: readonly UserMessage[], stored: readonly ThreadMessage[]): void {
  const last = stored.at(-1);
  const unanswered = last !== undefined && last.role !== 'assistant';
  if (added.length === 0 && !unanswered) throw badField('messages', 'must end with a new message of the user');
}

import type { UserMessage } from '../../contracts/thread.message.js';
import { isObject, isWireId } from '../http/fields.js';
import { badField } from '../http/problem.error.js';
import { messageText } from './message.text.js';
import type { Tally } from './tally.js';

// Counted by name; a client that makes up roles must not make up counters.
const ROLES = new Set(['user', 'assistant', 'system', 'developer', 'tool', 'activity', 'reasoning']);

/**
 * The user's messages after the last message of anybody else, oldest first; those before it are counted as dropped. `body` is the field that a message's
 * text stands in. Throws a 400 problem that names the field.
 */
export function lastUserMessages(
  messages: readonly unknown[],
  body: 'content' | 'parts',
  dropped: Tally,
): readonly UserMessage[] {
  const roles = messages.map((message, at) => roleOf(message, at));
  const first = roles.findLastIndex((role) => role !== 'user') + 1;
  for (const role of roles.slice(0, first)) dropped.add(`messages.${ROLES.has(role) ? role : 'other'}`, 1);
  return messages.slice(first).map((message, at) => userMessage(message, `messages[${first + at}]`, body, dropped));
}

function roleOf(message: unknown, at: number): string {
  const role = isObject(message) ? message['role'] : undefined;
  if (typeof role === 'string' && role !== '') return role;
  throw badField(`messages[${at}].role`, 'must be text');
}

function userMessage(message: unknown, field: string, body: 'content' | 'parts', dropped: Tally): UserMessage {
  const { id, [body]: content } = isObject(message) ? message : {};
  if (id !== undefined && !isWireId(id)) throw badField(`${field}.id`, 'must be 1 to 128 printable ASCII characters');
  const { text, files } = messageText(content, `${field}.${body}`);
  dropped.add('files', files);
  return Object.freeze({ ...(id === undefined ? {} : { id }), text });
}

import type { UserMessage } from '../../contracts/thread.message.js';
import { isObject, isWireId } from '../http/fields.js';
import { badField } from '../http/problem.error.js';
import { messageContent, type MessageReading } from './message.content.js';

// Counted by name; a client that makes up roles must not make up counters.
const ROLES = new Set(['user', 'assistant', 'system', 'developer', 'tool', 'activity', 'reasoning']);

/**
 * The user's messages after the last message of anybody else, oldest first; those before it are counted as dropped. Throws a 400 problem that names the
 * field.
 */
export function lastUserMessages(messages: readonly unknown[], reading: MessageReading): readonly UserMessage[] {
  const roles = messages.map((message, at) => roleOf(message, at));
  const first = roles.findLastIndex((role) => role !== 'user') + 1;
  for (const role of roles.slice(0, first)) reading.dropped.add(`messages.${ROLES.has(role) ? role : 'other'}`, 1);
  return messages.slice(first).map((message, at) => userMessage(message, `messages[${first + at}]`, reading));
}

function roleOf(message: unknown, at: number): string {
  const role = isObject(message) ? message['role'] : undefined;
  if (typeof role === 'string' && role !== '') return role;
  throw badField(`messages[${at}].role`, 'must be text');
}

function userMessage(message: unknown, field: string, reading: MessageReading): UserMessage {
  const { body } = reading.form;
  const { id, [body]: content } = isObject(message) ? message : {};
  if (id !== undefined && !isWireId(id)) throw badField(`${field}.id`, 'must be 1 to 128 printable ASCII characters');
  const { text, files } = messageContent(content, `${field}.${body}`, reading);
  return Object.freeze({ ...(id === undefined ? {} : { id }), text, ...(files.length === 0 ? {} : { files }) });
}

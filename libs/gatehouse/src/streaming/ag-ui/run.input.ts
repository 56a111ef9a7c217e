import type { ClientContent } from '../../contracts/client.content.js';
import type { UserMessage } from '../../contracts/thread.message.js';
import { badField } from '../http/problem.error.js';
import { bodyOf, isObject, isWireId, optionalList, wireId } from '../http/fields.js';
import { clientContext, type ClientContext } from './client.context.js';
import { messageText } from './message.text.js';
import { parseResume, type ResumeEntry } from './resume.entry.js';
import { Tally } from './tally.js';

/** What we take from an AG-UI `RunAgentInput`. */
export interface RunInput extends ClientContext {
  readonly threadId: string;
  /** The client's `runId`: its name for one segment. */
  readonly segment: string;
  /** The user's messages after the last message of anybody else, oldest first. Those already stored are still among them. */
  readonly messages: readonly UserMessage[];
  readonly resume: readonly ResumeEntry[];
  /** How many things of each kind were left out: the stored thread is the truth, not the client's copy of it. */
  readonly dropped: Readonly<Record<string, number>>;
}

/**
 * Reads a request body as `RunAgentInput`. Of its history only the text of the last user messages is used; assistant, tool and system messages, `tools`,
 * `forwardedProps`, and what `accept` does not let through of `state` and `context`, are counted and dropped. Throws a 400 problem that names the field.
 */
export function parseRunAgentInput(body: unknown, accept: readonly ClientContent[] = []): RunInput {
  const input = bodyOf(body);
  const dropped = new Tally();
  const threadId = wireId(input['threadId'], 'threadId');
  const segment = wireId(input['runId'], 'runId');
  if (!Array.isArray(input['messages'])) throw badField('messages', 'must be a list');
  const messages = newest(input['messages'], dropped);
  const resume = parseResume(optionalList(input['resume'], 'resume'));
  const beside = clientContext(input, accept, dropped);
  return Object.freeze({ threadId, segment, messages, resume, ...beside, dropped: dropped.counts });
}

// Counted by name; a client that makes up roles must not make up counters.
const ROLES = new Set(['user', 'assistant', 'system', 'developer', 'tool', 'activity', 'reasoning']);

function newest(messages: readonly unknown[], dropped: Tally): readonly UserMessage[] {
  const roles = messages.map((message, at) => roleOf(message, at));
  const first = roles.findLastIndex((role) => role !== 'user') + 1;
  for (const role of roles.slice(0, first)) dropped.add(`messages.${ROLES.has(role) ? role : 'other'}`, 1);
  return messages.slice(first).map((message, at) => userMessage(message, `messages[${first + at}]`, dropped));
}

function roleOf(message: unknown, at: number): string {
  const role = isObject(message) ? message['role'] : undefined;
  if (typeof role === 'string' && role !== '') return role;
  throw badField(`messages[${at}].role`, 'must be text');
}

function userMessage(message: unknown, field: string, dropped: Tally): UserMessage {
  const { id, content } = isObject(message) ? message : {};
  if (id !== undefined && !isWireId(id)) throw badField(`${field}.id`, 'must be 1 to 128 printable ASCII characters');
  const { text, files } = messageText(content, `${field}.content`);
  dropped.add('files', files);
  return Object.freeze({ ...(id === undefined ? {} : { id }), text });
}

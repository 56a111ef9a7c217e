import type { UserMessage } from '../../contracts/thread.message.js';
import { badField } from '../http/problem.error.js';
import { bodyOf, isObject, isWireId, optionalList, wireId } from '../http/fields.js';
import { messageText } from './message.text.js';
import { parseResume, type ResumeEntry } from './resume.entry.js';

/** What we take from an AG-UI `RunAgentInput`. */
export interface RunInput {
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
 * `state`, `context` and `forwardedProps` are counted and dropped. Throws a 400 problem that names the field.
 */
export function parseRunAgentInput(body: unknown): RunInput {
  const input = bodyOf(body);
  const dropped = new Tally();
  const threadId = wireId(input['threadId'], 'threadId');
  const segment = wireId(input['runId'], 'runId');
  if (!Array.isArray(input['messages'])) throw badField('messages', 'must be a list');
  const messages = newest(input['messages'], dropped);
  const resume = parseResume(optionalList(input['resume'], 'resume'));
  dropped.add('tools', optionalList(input['tools'], 'tools').length);
  dropped.add('context', optionalList(input['context'], 'context').length);
  dropped.add('state', present(input['state']));
  dropped.add('forwardedProps', present(input['forwardedProps']));
  return Object.freeze({ threadId, segment, messages, resume, dropped: dropped.counts });
}

function newest(messages: readonly unknown[], dropped: Tally): readonly UserMessage[] {
  const roles = messages.map((message, at) => roleOf(message, at));
  const first = roles.findLastIndex((role) => role !== 'user') + 1;
  for (const role of roles.slice(0, first)) dropped.add(`messages.${role}`, 1);
  return messages.slice(first).map((message, at) => userMessage(message, `messages[${first + at}]`, dropped));
}

function roleOf(message: unknown, at: number): string {
  const role = isObject(message) ? message['role'] : undefined;
  if (typeof role === 'string' && role !== '') return role.slice(0, 32);
  throw badField(`messages[${at}].role`, 'must be text');
}

function userMessage(message: unknown, field: string, dropped: Tally): UserMessage {
  const { id, content } = isObject(message) ? message : {};
  if (id !== undefined && !isWireId(id)) throw badField(`${field}.id`, 'must be 1 to 128 printable ASCII characters');
  const { text, files } = messageText(content, `${field}.content`);
  dropped.add('files', files);
  return Object.freeze({ ...(id === undefined ? {} : { id }), text });
}

// An empty object is what clients send where nothing is meant.
const present = (value: unknown): number =>
  value === undefined || value === null || (isObject(value) && Object.keys(value).length === 0) ? 0 : 1;

class Tally {
  readonly counts: Record<string, number> = {};

  add(kind: string, count: number): void {
    if (count > 0) this.counts[kind] = (this.counts[kind] ?? 0) + count;
  }
}

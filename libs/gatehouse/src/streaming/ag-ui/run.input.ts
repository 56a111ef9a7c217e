import type { ResolvedOptions } from '../../contracts/resolved.options.js';
import type { UserMessage } from '../../contracts/thread.message.js';
import { Tally } from '../entry/tally.js';
import { lastUserMessages } from '../entry/user.messages.js';
import { bodyOf, optionalList, wireId } from '../http/fields.js';
import { badField } from '../http/problem.error.js';
import { clientContext, type ClientContext } from './client.context.js';
import { AG_UI_MESSAGE } from './content.form.js';
import { parseResume, type ResumeEntry } from './resume.entry.js';

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
 * Reads a request body as `RunAgentInput`. Of its history only the last user messages are used, their text and what `files` lets through; assistant, tool
 * and system messages, `tools`, `forwardedProps`, and what `accept` does not let through of `state` and `context`, are counted and dropped. Throws a 400
 * problem that names the field.
 */
export function parseRunAgentInput(
  body: unknown,
  { accept = [], files = [] }: Partial<Pick<ResolvedOptions['streaming'], 'accept' | 'files'>> = {},
): RunInput {
  const input = bodyOf(body);
  const dropped = new Tally();
  const threadId = wireId(input['threadId'], 'threadId');
  const segment = wireId(input['runId'], 'runId');
  if (!Array.isArray(input['messages'])) throw badField('messages', 'must be a list');
  const messages = lastUserMessages(input['messages'], { form: AG_UI_MESSAGE, files, dropped });
  const resume = parseResume(optionalList(input['resume'], 'resume'));
  const beside = clientContext(input, accept, dropped);
  return Object.freeze({ threadId, segment, messages, resume, ...beside, dropped: dropped.counts });
}

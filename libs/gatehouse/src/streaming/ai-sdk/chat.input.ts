import type { Decision } from '../../contracts/approval.js';
import type { ResolvedOptions } from '../../contracts/resolved.options.js';
import type { UserMessage } from '../../contracts/thread.message.js';
import { Tally } from '../entry/tally.js';
import { lastUserMessages } from '../entry/user.messages.js';
import { bodyOf, isObject, isWireId, wireId } from '../http/fields.js';
import { badField } from '../http/problem.error.js';
import { answersIn } from './approval.parts.js';
import { UI_MESSAGE } from './message.form.js';

/** What we take from the request of a `DefaultChatTransport`. */
export interface ChatInput {
  /** The chat's id. */
  readonly threadId: string;
  readonly messages: readonly UserMessage[];
  /** Which of them is sent once more, perhaps in other words. */
  readonly edited?: string;
  /** What is said to approvals, real or not. */
  readonly answers: readonly Decision[];
  readonly again: boolean;
  /** How many things of each kind were left out: the stored thread is the truth, not the client's copy of it. */
  readonly dropped: Readonly<Record<string, number>>;
}

/**
 * Reads `{ id, messages, trigger, messageId? }`. Of the history only the last user messages are used, their text and what `files` lets through, or the answers
 * to approvals in the assistant message that is answered: the one that `messageId` names, else the last. Everything else is counted and dropped. Throws a
 * 400 problem that names the field.
 */
export function parseChatInput(
  body: unknown,
  { files = [] }: Partial<Pick<ResolvedOptions['streaming'], 'files'>> = {},
): ChatInput {
  const { id, messages, trigger = 'submit-message', messageId } = bodyOf(body);
  const dropped = new Tally();
  const threadId = wireId(id, 'id');
  if (!Array.isArray(messages)) throw badField('messages', 'must be a list');
  if (trigger !== 'submit-message' && trigger !== 'regenerate-message')
    throw badField('trigger', "must be 'submit-message' or 'regenerate-message'");
  const again = trigger === 'regenerate-message';
  const sent = lastUserMessages(messages, { form: UI_MESSAGE, files, dropped });
  const answered = again ? undefined : answeredMessage(messages, messageId);
  if (answered === undefined)
    return input({
      threadId,
      messages: sent,
      answers: [],
      again,
      dropped,
      ...(isWireId(messageId) ? { edited: messageId } : {}),
    });
  const answers = answersIn(answered['parts']);
  // Without this a thread that waits would be gone on with, and what waits denied.
  if (answers.length === 0)
    throw badField('messages', 'must end with a new message of the user, or answer an approval');
  return input({ threadId, messages: [], answers, again, dropped });
}

const input = ({ dropped, ...rest }: Omit<ChatInput, 'dropped'> & { readonly dropped: Tally }): ChatInput =>
  Object.freeze({ ...rest, dropped: dropped.counts });

function answeredMessage(messages: readonly unknown[], messageId: unknown): Record<string, unknown> | undefined {
  const named = messages.find((message) => isObject(message) && message['id'] === messageId);
  const message = messageId === undefined ? messages.at(-1) : (named ?? messages.at(-1));
  return isObject(message) && message['role'] === 'assistant' ? message : undefined;
}

import type { JsonObject } from '../../contracts/json.js';
import type { MessageFile } from '../../contracts/message.file.js';
import { isObject } from '../http/fields.js';
import { badField } from '../http/problem.error.js';
import type { SentFile } from './sent.file.js';
import { takenFile } from './taken.file.js';
import type { Tally } from './tally.js';

/** How a protocol writes a user's message. */
export interface MessageForm {
  /** The field that holds the text, or the parts. */
  readonly body: 'content' | 'parts';
  /** The file that a part is; undefined for any other part. */
  file(part: JsonObject, field: string): SentFile | undefined;
}

/** What messages are read by. */
export interface MessageReading {
  readonly form: MessageForm;
  /** Media types of files that are taken (`streaming.files`). */
  readonly files: readonly string[];
  readonly dropped: Tally;
}

/** What is taken of one user message. */
export interface MessageContent {
  readonly text: string;
  readonly files: readonly MessageFile[];
}

/** What a user message holds: text, or parts whose text parts are joined. What is not taken is counted. Throws a 400 problem that names the part. */
export function messageContent(content: unknown, field: string, reading: MessageReading): MessageContent {
  if (typeof content === 'string') return { text: content, files: [] };
  if (!Array.isArray(content)) throw badField(field, 'must be text or a list of parts');
  const parts = content.map((part: unknown, at) => partContent(part, `${field}[${at}]`, reading));
  return {
    text: parts.filter((part) => typeof part === 'string').join(''),
    files: parts.filter((part) => typeof part === 'object'),
  };
}

function partContent(part: unknown, field: string, reading: MessageReading): string | MessageFile | undefined {
  if (!isObject(part) || typeof part['type'] !== 'string') throw badField(`${field}.type`, 'must be text');
  if (part['type'] === 'text') {
    if (typeof part['text'] === 'string') return part['text'];
    throw badField(`${field}.text`, 'must be text');
  }
  const sent = reading.form.file(part, field);
  const taken = sent === undefined ? 'files' : takenFile(sent, reading.files);
  if (typeof taken === 'object') return taken;
  reading.dropped.add(taken, 1);
  return undefined;
}

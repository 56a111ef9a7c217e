import { badField } from '../http/problem.error.js';
import { isObject } from '../http/fields.js';

/** The text of one user message, and how many parts of it were no text. */
export interface MessageText {
  readonly text: string;
  readonly files: number;
}

/** What a user message holds: text, or parts whose text parts are joined. Throws a 400 problem that names the part. */
export function messageText(content: unknown, field: string): MessageText {
  if (typeof content === 'string') return { text: content, files: 0 };
  if (!Array.isArray(content)) throw badField(field, 'must be text or a list of parts');
  const texts = content.map((part: unknown, at) => partText(part, `${field}[${at}]`));
  const text = texts.filter((part) => part !== undefined);
  return { text: text.join(''), files: texts.length - text.length };
}

function partText(part: unknown, field: string): string | undefined {
  if (!isObject(part) || typeof part['type'] !== 'string') throw badField(`${field}.type`, 'must be text');
  if (part['type'] !== 'text') return undefined;
  if (typeof part['text'] === 'string') return part['text'];
  throw badField(`${field}.text`, 'must be text');
}

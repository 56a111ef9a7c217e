import { InvalidQueryError } from '../contracts/errors/invalid-query.error.js';
import type { MessageFile } from '../contracts/message.file.js';
import type { RunRequest } from '../contracts/run.js';
import type { ThreadMessage, UserMessage } from '../contracts/thread.message.js';
import { isBase64 } from '../values/base64.js';
import { newId } from '../values/ids.js';
import { mediaTypeIn } from '../values/media.types.js';
import { visibleText } from '../values/visible-text.js';

/** The new user messages of a request, as the thread keeps them. @throws InvalidQueryError for a file that is none */
export const userMessages = (input: RunRequest['input']): readonly ThreadMessage[] => {
  const messages: readonly UserMessage[] = typeof input === 'string' ? [{ text: input }] : input;
  return messages.map(({ id, text, files = [] }, at) => ({
    id: id ?? newId(),
    role: 'user' as const,
    text: visibleText(text),
    ...(files.length === 0 ? {} : { files: files.map((file, nth) => keptFile(file, `input[${at}].files[${nth}]`)) }),
  }));
};

const keptFile = ({ mediaType: given, name, data }: MessageFile, field: string): MessageFile => {
  const mediaType = typeof given === 'string' ? mediaTypeIn(given) : undefined;
  if (mediaType === undefined)
    throw new InvalidQueryError(`${field}.mediaType`, "must be a media type, as 'image/png'");
  if (typeof data !== 'string' || !isBase64(data)) throw new InvalidQueryError(`${field}.data`, 'must be base64');
  if (name !== undefined && typeof name !== 'string') throw new InvalidQueryError(`${field}.name`, 'must be text');
  return { mediaType, ...(name === undefined ? {} : { name: visibleText(name) }), data };
};

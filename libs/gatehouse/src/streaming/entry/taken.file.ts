import type { MessageFile } from '../../contracts/message.file.js';
import { isBase64 } from '../../values/base64.js';
import { inMediaRanges, mediaTypeIn } from '../../values/media.types.js';
import { badField } from '../http/problem.error.js';
import { dataUrl } from './data.url.js';
import type { Placed, SentFile } from './sent.file.js';

/** What is counted for a file that is not taken: no file is, it is not inline, its type is not accepted. */
export type LeftFile = 'files' | 'files.url' | 'files.type';

const LONGEST_NAME = 255;
const CONTROL = /\p{Cc}/u;

/**
 * The file itself, where it is inline and of an accepted type; else what to count. A URL is read, never fetched. Throws a 400 problem that names the
 * field where a `data:` URL is none, or a file of an accepted type is broken or not what it is declared to be.
 */
export function takenFile(sent: SentFile, accepted: readonly string[]): MessageFile | LeftFile {
  if (accepted.length === 0) return 'files';
  const inline = sent.base64 === undefined ? inUrl(sent.url) : inBase64(sent.base64, sent.mediaType);
  if (inline === undefined) return 'files.url';
  const { mediaType, data, field } = inline;
  if (mediaType === undefined || !inMediaRanges(mediaType, accepted)) return 'files.type';
  if (!isNamed(mediaType, sent.mediaType)) throw badField(sent.mediaType[1], 'must be the type of the data URL');
  if (!isBase64(data)) throw badField(field, 'must hold base64');
  const name = nameIn(sent.name);
  return Object.freeze({ mediaType, ...(name === undefined ? {} : { name }), data });
}

interface Inline {
  readonly mediaType: string | undefined;
  readonly data: string;
  readonly field: string;
}

function inUrl([url, field]: Placed = [undefined, '']): Inline | undefined {
  const read = typeof url === 'string' ? dataUrl(url) : undefined;
  if (read === 'malformed') throw badField(field, 'must be a base64 data URL with a media type');
  return read && { ...read, field };
}

const inBase64 = ([data, field]: Placed, [mediaType]: Placed): Inline => ({
  mediaType: typeof mediaType === 'string' ? mediaTypeIn(mediaType) : undefined,
  data: typeof data === 'string' ? data : '',
  field,
});

/** Browsers write '' where they do not know; the AI SDK also knows a bare 'image'. */
const isNamed = (mediaType: string, [declared]: Placed): boolean => {
  if (declared === undefined || declared === null || declared === '') return true;
  if (typeof declared !== 'string') return false;
  return mediaTypeIn(declared) === mediaType || declared === mediaType.split('/', 1)[0];
};

function nameIn([name, field]: Placed): string | undefined {
  if (name === undefined || name === null || name === '') return undefined;
  if (typeof name === 'string' && name.length <= LONGEST_NAME && !CONTROL.test(name)) return name;
  throw badField(field, `must be text of at most ${LONGEST_NAME} characters, none of them a control character`);
}

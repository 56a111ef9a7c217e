import type { JsonObject } from '../../contracts/json.js';
import type { MessageForm } from '../entry/message.content.js';
import type { SentFile } from '../entry/sent.file.js';
import { isObject } from '../http/fields.js';

const MEDIA: readonly unknown[] = ['image', 'audio', 'video', 'document'];

/** A user's message of AG-UI. Its files are parts with a `source`; before 1.0 they were `binary` ones. */
export const AG_UI_MESSAGE: MessageForm = {
  body: 'content',
  file(part, field) {
    if (part['type'] === 'binary') return binaryFile(part, field);
    return MEDIA.includes(part['type']) ? sourceFile(part, field) : undefined;
  },
};

function sourceFile({ source, metadata }: JsonObject, field: string): SentFile {
  const { type, value, mimeType } = isObject(source) ? source : {};
  const placed = [value, `${field}.source.value`] as const;
  return {
    mediaType: [mimeType, `${field}.source.mimeType`],
    // Where the official client puts the name of a file, and where everybody else puts what they like.
    name: [nameIn(metadata), `${field}.metadata.filename`],
    ...(type === 'data' ? { base64: placed } : type === 'url' ? { url: placed } : {}),
  };
}

function nameIn(metadata: unknown): string | undefined {
  const { filename } = isObject(metadata) ? metadata : {};
  return typeof filename === 'string' ? filename : undefined;
}

const binaryFile = ({ data, url, mimeType, filename }: JsonObject, field: string): SentFile => ({
  mediaType: [mimeType, `${field}.mimeType`],
  name: [filename, `${field}.filename`],
  ...(data === undefined ? { url: [url, `${field}.url`] } : { base64: [data, `${field}.data`] }),
});

import { mediaTypeIn } from '../../values/media.types.js';

/** What a `data:` URL holds; its base64 is not checked. */
export interface DataUrl {
  readonly mediaType: string;
  readonly data: string;
}

const SCHEME = /^data:/i;
const BASE64 = /; *base64$/i;
const LONGEST_HEADER = 512;

/** Reads a `data:` URL; undefined for any other one. One without a media type, or without base64, is malformed: no browser makes it of a file. */
export function dataUrl(url: string): DataUrl | 'malformed' | undefined {
  if (!SCHEME.test(url)) return undefined;
  const comma = url.slice(0, LONGEST_HEADER).indexOf(',');
  const header = url.slice('data:'.length, Math.max(comma, 0));
  const mediaType = mediaTypeIn(header);
  if (mediaType === undefined || !BASE64.test(header)) return 'malformed';
  return { mediaType, data: url.slice(comma + 1) };
}

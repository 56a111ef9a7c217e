import type { ClientContent } from '../contracts/client.content.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { isMediaRange } from '../values/media.types.js';

const KINDS: readonly ClientContent[] = ['state', 'context'];

/** Checks `streaming.accept`. */
export const acceptedKinds = (given: readonly ClientContent[] = []): readonly ClientContent[] => {
  for (const kind of listOf(given, 'streaming.accept')) {
    if (!KINDS.some((known) => known === kind))
      throw new ConfigurationError(
        `streaming.accept does not know '${String(kind)}'. Known: ${KINDS.join(', ')}. Files are accepted by streaming.files.`,
      );
  }
  return Object.freeze([...given]);
};

/** Checks `streaming.files`. */
export const acceptedFiles = (given: readonly string[] = []): readonly string[] =>
  Object.freeze(listOf(given, 'streaming.files').map(mediaRange));

const mediaRange = (given: unknown): string => {
  const range = typeof given === 'string' ? given.toLowerCase() : '';
  if (isMediaRange(range)) return range;
  throw new ConfigurationError(
    `streaming.files has '${String(given)}': write a media type, such as 'image/png' or 'image/*'.`,
  );
};

const listOf = (given: unknown, name: string): readonly unknown[] => {
  if (Array.isArray(given)) return given;
  throw new ConfigurationError(`${name} must be a list.`);
};

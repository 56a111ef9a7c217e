import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { Logger, StreamableFile } from '@nestjs/common';
import { describeError } from '../../values/error-text.js';

/**
 * A stream of evidence as an answer. What fails before the first byte is thrown here, and told like every other error; what fails later breaks the
 * connection off: a client must not take half of it for all of it.
 */
export async function evidenceFile(stream: Readable, mediaType: string, name: string): Promise<StreamableFile> {
  await once(stream, 'readable');
  const file = new StreamableFile(stream, { type: mediaType, disposition: `attachment; filename="${name}"` });
  return file
    .setErrorLogger((error) => new Logger('gatehouse.audit').error(`An export broke off: ${describeError(error)}.`))
    .setErrorHandler((_, response) => void response.destroy?.());
}

import { createHash } from 'node:crypto';
import { open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { EXPORT_FORMATS } from '../audit/export/export.format.js';
import type { LogSource } from '../contracts/ports/log.source.js';

/**
 * Writes a month of evidence into a file of its own, on disk before this resolves; what it returns says where and what, for the record of its going.
 * Nothing is left half written under the final name.
 */
export async function archiveMonth(source: LogSource, month: string, folder: string): Promise<string> {
  const path = join(folder, `gatehouse-${month}.ndjson`);
  const unfinished = `${path}.part`;
  const digest = createHash('sha256');
  const file = await open(unfinished, 'w', 0o600);
  try {
    for await (const record of source.records({ month })) {
      const line = EXPORT_FORMATS.ndjson.line(record);
      digest.update(line);
      await file.write(line);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  return JSON.stringify({ archive: `gatehouse-${month}.ndjson`, sha256: digest.digest('hex') });
}

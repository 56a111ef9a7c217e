import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EXPORT_FORMATS } from '../audit/export/export.format.js';
import type { LogSource } from '../contracts/ports/log.source.js';

/** Where archives lie, and of which schema they are. */
export interface ArchivePlace {
  readonly folder: string;
  readonly schema: string;
}

/**
 * Writes a month of evidence into a file of its own, on disk before this resolves; what it returns says where and what, for the record of its going.
 * Nothing is left half written under the final name, and no file that is there is overwritten: one with the same content is the archive, beside any
 * other a number is put behind the name.
 */
export async function archiveMonth(
  source: LogSource,
  month: string,
  { folder, schema }: ArchivePlace,
): Promise<string> {
  const unfinished = join(folder, `.${schema}-${month}-${randomUUID()}.part`);
  try {
    const sha256 = await write(source, month, unfinished);
    return JSON.stringify({ archive: await settle(unfinished, sha256, folder, `${schema}-${month}`), sha256 });
  } finally {
    await rm(unfinished, { force: true });
  }
}

async function write(source: LogSource, month: string, path: string): Promise<string> {
  const digest = createHash('sha256');
  const file = await open(path, 'wx', 0o600);
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
  return digest.digest('hex');
}

/** Gives it the first name that is free; none where the same archive is there already. */
async function settle(unfinished: string, sha256: string, folder: string, name: string): Promise<string> {
  for (let number = 1; ; number += 1) {
    const final = `${name}${number === 1 ? '' : `-${number}`}.ndjson`;
    const path = join(folder, final);
    if (await isReserved(path)) {
      await rename(unfinished, path);
      return final;
    }
    if ((await digestOf(path)) === sha256) return final;
  }
}

// Whoever makes the file has the name: a rename alone would take what another made meanwhile.
async function isReserved(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function digestOf(path: string): Promise<string> {
  const digest = createHash('sha256');
  for await (const part of createReadStream(path)) digest.update(part as Buffer);
  return digest.digest('hex');
}

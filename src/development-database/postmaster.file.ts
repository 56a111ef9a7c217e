import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** What PostgreSQL's own lock file says of the server that holds the data. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'stopping' | 'ready';
}

const READS = 20;
const READ_AGAIN_MS = 25;

const lockFile = (dataFolder: string): string => join(dataFolder, 'postmaster.pid');

function parse(text: string): Postmaster | undefined {
  const [pid = '', , , port = '', , , , status = ''] = text.split('\n').map((line) => line.trim());
  const number = Number.parseInt(pid, 10);
  if (!(number > 0)) return undefined;
  return Object.freeze({
    pid: number,
    port: Number.parseInt(port, 10),
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  });
}

/** Reads the lock file; undefined if there is none. The server it names may be dead. */
export async function readPostmaster(dataFolder: string): Promise<Postmaster | undefined> {
  // A server creates the file and fills it a moment later; a file that stays empty was left by a crash between the two.
  for (let read = 0; read < READS; read++) {
    const text = await readFile(lockFile(dataFolder), 'utf8').catch(() => undefined);
    if (text === undefined) return undefined;
    const postmaster = parse(text);
    if (postmaster) return postmaster;
    await pause(READ_AGAIN_MS);
  }
  await rm(lockFile(dataFolder), { force: true });
  return undefined;
}

/** Removes the lock file if it still names that process, which is known not to be a server. */
export async function removePostmaster(dataFolder: string, pid: number): Promise<void> {
  if ((await readPostmaster(dataFolder))?.pid === pid) await rm(lockFile(dataFolder), { force: true });
}

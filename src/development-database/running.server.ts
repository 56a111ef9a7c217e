import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from './development-database.types.js';
import { commandLine, isAlive, stillRuns } from './process.identity.js';
import { type Postmaster, readPostmaster, removePostmaster } from './postmaster.file.js';

/** The setting that a server carries to say which process started it. */
export const STARTER_SETTING = 'gatehouse.starter';

const POLL_MS = 20;
const STOP_MS = 15_000;

/** A server that holds a cluster's data now. */
export interface RunningServer extends Postmaster {
  /** Whether the process that started it still runs; true as well for a server that somebody started by hand. */
  readonly attended: boolean;
}

/** The server that runs on that data, if any. */
export async function findRunning({ dataFolder }: Cluster): Promise<RunningServer | undefined> {
  const postmaster = await readPostmaster(dataFolder);
  if (!postmaster) return undefined;
  const words = (await commandLine(postmaster.pid)) ?? '';
  if (!words.includes('postgres') || !words.includes(dataFolder)) {
    // PostgreSQL copes with the lock of a dead server, but takes another program that got its number since for a server.
    if (isAlive(postmaster.pid)) await removePostmaster(dataFolder, postmaster.pid);
    return undefined;
  }
  const starter = new RegExp(`${STARTER_SETTING}=(\\S+)`).exec(words)?.[1];
  return Object.freeze({ ...postmaster, attended: !starter || (await stillRuns(starter)) });
}

/** Waits while the server starts up. Returns it when it is ready, and undefined if it ends instead. */
export async function untilReady(cluster: Cluster): Promise<RunningServer | undefined> {
  for (;;) {
    const running = await findRunning(cluster);
    if (!running || running.status === 'ready') return running;
    await pause(POLL_MS);
  }
}

async function isGone(cluster: Cluster, pid: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while ((await findRunning(cluster))?.pid === pid) {
    if (performance.now() > deadline) return false;
    await pause(POLL_MS);
  }
  return true;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Tells a server to break its connections and end, and waits until it has; kills it after 15 seconds. */
export async function stopServer(cluster: Cluster, pid: number): Promise<void> {
  signal(pid, 'SIGINT');
  if (await isGone(cluster, pid, STOP_MS)) return;
  signal(pid, 'SIGKILL');
  await isGone(cluster, pid, STOP_MS);
}

import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster, ServerBinaries } from './development-database.types.js';
import { freePort, isPortTaken } from './free.port.js';
import { findRunning, type RunningServer, stopServer, untilReady } from './running.server.js';
import { readPostmaster } from './postmaster.file.js';
import { ServerProgramError } from './server-program.error.js';
import { type ServerProcess, startServer } from './server.process.js';

const TRIES = 5;
const POLL_MS = 10;

/** A server that serves a cluster, and the process if it is ours. */
export interface ClusterServer {
  readonly port: number;
  readonly process?: ServerProcess;
}

/** Uses the server of a process that still runs; clears away one whose starter is gone. */
async function settle(
  cluster: Cluster,
  running: RunningServer,
  log: (message: string) => void,
): Promise<ClusterServer | undefined> {
  if (!running.attended || running.status === 'stopping') {
    log(`Ending the database server (process ${running.pid}) that an earlier start left behind.`);
    await stopServer(cluster, running.pid);
    return undefined;
  }
  const ready = await untilReady(cluster);
  if (ready) log(`Sharing the database server (process ${ready.pid}) of another start; it ends when that one ends.`);
  return ready && { port: ready.port };
}

/** True once our server accepts connections; false when it ends instead, for example because another one holds the data. */
async function becomesReady(cluster: Cluster, server: ServerProcess): Promise<boolean> {
  let ended = false;
  const end = server.ended.finally(() => (ended = true));
  while (!ended) {
    const postmaster = await readPostmaster(cluster.dataFolder);
    if (postmaster?.pid === server.pid && postmaster.status === 'ready') return true;
    await Promise.race([end, pause(POLL_MS)]);
  }
  return false;
}

/**
 * A server that is ready on that cluster. PostgreSQL's lock file decides between two starts at once: the later one shares the
 * server of the earlier.
 *
 * @throws ServerProgramError with the server's messages if it does not start
 */
export async function serveCluster(
  binaries: ServerBinaries,
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
  log: (message: string) => void,
): Promise<ClusterServer> {
  for (let attempt = 1; ; attempt++) {
    const running = await findRunning(cluster);
    const shared = running && (await settle(cluster, running, log));
    if (shared) return shared;
    const process = await startServer(binaries, cluster, await freePort(), settings);
    if (await becomesReady(cluster, process)) return { port: process.port, process };
    const canTryAgain = (await isPortTaken(process.port)) || (await findRunning(cluster)) !== undefined;
    if (attempt >= TRIES || !canTryAgain) throw new ServerProgramError('postgres', await process.messages());
  }
}

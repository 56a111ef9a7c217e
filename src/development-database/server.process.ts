import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Socket } from 'node:net';
import type { Cluster, ServerBinaries } from './development-database.types.js';
import { processIdentity } from './process.identity.js';
import { STARTER_SETTING, stopServer } from './running.server.js';
import { programEnvironment } from './server.program.js';
import { programIn } from './server.version.js';

/**
 * Becomes the server, after leaving behind a watcher that holds the other end of a pipe to us. We write a word into it before we
 * close it; if it closes without one, we were killed, and the watcher stops the server. The watcher is a grandchild, so that the
 * server does not meet a child it did not make.
 */
const WATCHED = '( ( read -r word <&3 || kill -INT "$$" ) & ) ; exec "$@" 3<&-';

/** A server that this process started. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  /** Fulfilled when the server has ended. */
  readonly ended: Promise<void>;
  /** Ends the server in an orderly way, breaking its connections. */
  stop(): Promise<void>;
  /** What the server wrote to its log since it was started. */
  messages(): Promise<string>;
}

const flags = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

/** Our end of the watcher's pipe. Neither it nor the server keeps this process from ending. */
function watcherPipe(child: ChildProcess): Socket | undefined {
  const pipe = child.stdio[3];
  if (!(pipe instanceof Socket)) return undefined;
  pipe.on('error', () => undefined); // the watcher may be gone already
  pipe.unref();
  return pipe;
}

function launch(words: readonly string[], cluster: Cluster, log: number): ChildProcess {
  const [program = '', ...args] =
    process.platform === 'win32' ? words : ['/bin/sh', '-c', WATCHED, 'gatehouse', ...words];
  const child = spawn(program, args, {
    cwd: dirname(cluster.dataFolder),
    ...cluster.account,
    env: programEnvironment(),
    stdio: ['ignore', log, log, 'pipe'],
    // A group of its own: Ctrl-C must reach us alone, so that the application can finish its work on a living database.
    detached: true,
  });
  child.unref();
  return child;
}

/** What every server of ours is told. */
const fixedSettings = async (port: number): Promise<Readonly<Record<string, string>>> => ({
  listen_addresses: '127.0.0.1',
  port: String(port),
  // A socket's path may not be longer than 107 bytes, and nobody needs one here.
  unix_socket_directories: '',
  timezone: 'UTC',
  log_timezone: 'UTC',
  [STARTER_SETTING]: (await processIdentity(process.pid)) ?? String(process.pid),
});

/** Starts a server on that port of 127.0.0.1, without waiting until it is ready. */
export async function startServer(
  binaries: ServerBinaries,
  cluster: Cluster,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const options = flags({ ...settings, ...(await fixedSettings(port)) });
  const log = await open(cluster.logFile, 'a');
  const { size } = await log.stat();
  const child = launch([programIn(binaries.folder, 'postgres'), '-D', cluster.dataFolder, ...options], cluster, log.fd);
  const pipe = watcherPipe(child);
  const ended = once(child, 'exit').then(() => void pipe?.end('ended\n'));
  try {
    await Promise.race([once(child, 'spawn'), ended]);
  } finally {
    await log.close();
  }
  const pid = Number(child.pid);
  return Object.freeze({
    pid,
    port,
    ended,
    stop: async () => {
      child.ref();
      if (child.exitCode === null && child.signalCode === null) await stopServer(cluster, pid);
      await ended;
    },
    messages: async () => (await readFile(cluster.logFile)).subarray(size).toString('utf8'),
  });
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';

/** The server program, where one is on the PATH. */
export function redisProgram(): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'redis-server'))
    .find(isExecutable);
}

/** A Redis of one test file's own, in memory alone. */
export interface RedisServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts one on a free loopback port; resolves once it takes connections. */
export async function startRedis(program: string): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-redis-'));
  const child = spawn(program, ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes('Ready to accept connections')) break;
  }
  child.stdout.resume();
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  if (child.exitCode === null) return { port, stop };
  await stop();
  throw new Error(`redis-server ended at once with ${child.exitCode}.`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

// Slim containers have no `ps`, macOS has no /proc.
const ask = (pid: number, column: string): Promise<string | undefined> =>
  run('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' } }).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );

const fromProc = (pid: number, file: string): Promise<string | undefined> =>
  readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => undefined);

/** Whether a process of that id exists, no matter whose it is. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** The words a process was started with, or undefined if there is no such process. */
export async function commandLine(pid: number): Promise<string | undefined> {
  const words = await fromProc(pid, 'cmdline');
  return words ? words.replaceAll('\0', ' ').trim() : ask(pid, 'args');
}

/** Names one process for good: ids are used again, an id with its start time is not. Undefined if it does not exist. */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (!isAlive(pid)) return undefined;
  const status = await fromProc(pid, 'stat');
  // The second field is the program's name in brackets and may hold spaces; the start time is field 22 of the line.
  const started = status ? status.slice(status.lastIndexOf(')') + 2).split(' ')[19] : await ask(pid, 'lstart');
  return started ? `${pid}:${started.replaceAll(/\s+/g, '_')}` : undefined;
}

/** Whether the process that {@link processIdentity} once named still runs. */
export async function stillRuns(identity: string): Promise<boolean> {
  return (await processIdentity(Number.parseInt(identity, 10))) === identity;
}

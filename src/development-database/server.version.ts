import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BinarySearch, ServerBinaries } from './development-database.types.js';

const run = promisify(execFile);

/** The oldest major version that Gatehouse's SQL runs on. */
export const OLDEST_MAJOR = 15;

/** The path of one of PostgreSQL's programs. */
export const programIn = (folder: string, program: 'initdb' | 'postgres'): string =>
  join(folder, process.platform === 'win32' ? `${program}.exe` : program);

/** Runs `--version` of both programs in that folder: being there is no proof of running on this machine. */
export async function examineBinaries(source: ServerBinaries['source'], folder: string): Promise<BinarySearch> {
  try {
    await run(programIn(folder, 'initdb'), ['--version']);
    const { stdout } = await run(programIn(folder, 'postgres'), ['--version']);
    const version = /\d[\w.]*/.exec(stdout)?.[0] ?? '';
    const major = Number.parseInt(version, 10);
    if (major >= OLDEST_MAJOR) return { found: Object.freeze({ source, folder, major, version }) };
    return { reason: `${folder} holds ${stdout.trim()}, older than ${OLDEST_MAJOR}` };
  } catch (error) {
    return { reason: `the programs in ${folder} do not run: ${(error as Error).message.trim()}` };
  }
}

import { execFile } from 'node:child_process';
import { programIn } from './server.version.js';
import type { ServerAccount } from './server.account.js';
import { ServerProgramError } from './server-program.error.js';

const PASSED_ON = ['PATH', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH', 'SystemRoot', 'TMPDIR', 'TEMP'] as const;

/**
 * What PostgreSQL's programs see of our environment: nothing that would steer them (PGDATA, PGPORT, a locale that is not
 * installed) and no secrets of ours.
 */
export function programEnvironment(): NodeJS.ProcessEnv {
  return { ...Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]] as const)), LC_ALL: 'C' };
}

/**
 * Runs initdb to its end.
 *
 * @throws ServerProgramError with its messages if it fails
 */
export async function runInitdb(
  folder: string,
  args: readonly string[],
  cwd: string,
  account: ServerAccount,
): Promise<void> {
  const options = { cwd, ...account, env: programEnvironment() };
  await new Promise<void>((resolve, reject) => {
    execFile(programIn(folder, 'initdb'), [...args], options, (error, stdout, stderr) =>
      error ? reject(new ServerProgramError('initdb', `${stdout}${stderr}` || error.message)) : resolve(),
    );
  });
}

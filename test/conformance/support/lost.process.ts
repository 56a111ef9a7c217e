import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const LOADER = ['--disable-warning=ExperimentalWarning', '--import', '@swc-node/register/esm-register'];

/**
 * Runs the crash program in a process of its own, until it is lost at its point. Throws where it ends in any other way.
 *
 * @param pause milliseconds it stands at its point before it is lost
 */
export async function lostAt(point: string, url: string, runId?: string, pause = 0): Promise<void> {
  const child = spawn(process.execPath, [...LOADER, 'test/conformance/support/crash.program.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'] ?? '',
      TS_NODE_PROJECT: 'tsconfig.json',
      CRASH_URL: url,
      CRASH_POINT: point,
      CRASH_PAUSE: String(pause),
      ...(runId === undefined ? {} : { CRASH_RUN: runId }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  await once(child, 'close');
  if (child.signalCode !== 'SIGKILL') throw new Error(`The process was not lost at '${point}':\n${output}`);
}

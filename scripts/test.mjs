import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every run of `npm test`, in order. Each is one Jest process; its arguments are added to. */
const runs = [
  { title: 'Nest 12', config: 'jest.config.mjs', env: { NEST_MAJOR: '12' } },
  { title: 'Nest 11', config: 'jest.nest11.config.mjs', env: { NEST_MAJOR: '11' } },
  { title: 'AI SDK 6', config: 'jest.ai6.config.mjs', env: { NEST_MAJOR: '12' } },
];

const node = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const jest = join('node_modules', 'jest', 'bin', 'jest.js');

const finished = (child) =>
  new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });

/** A run's totals. A suite that could not load, and a run that left no result or died after it, is a failure. */
const totals = (file, code) => {
  const crash = { passed: 0, failed: 1 };
  let result;
  try {
    result = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return crash;
  }
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  const unexplained = code !== 0 && failed === 0 ? 1 : 0;
  return { passed: result.numPassedTests, failed: failed + unexplained };
};

const play = async ({ title, config, env }, folder, extra) => {
  const file = join(folder, `${config}.json`);
  console.log(`\n=== ${title} ===`);
  // A filter may leave a run without tests; unfiltered, a run that finds none is broken.
  const filter = extra.length > 0 ? ['--passWithNoTests', ...extra] : [];
  const args = [...node, jest, '--config', config, '--json', '--outputFile', file, ...filter];
  // Jest prints its JSON on stdout even when it writes the file: only the progress, on stderr, is worth showing.
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...env },
  });
  return totals(file, await finished(child));
};

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-tests-'));
const sum = { passed: 0, failed: 0 };
try {
  for (const run of runs) {
    const { passed, failed } = await play(run, folder, process.argv.slice(2));
    sum.passed += passed;
    sum.failed += failed;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log(`\n${sum.passed} passed, ${sum.failed} failed`);
process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;

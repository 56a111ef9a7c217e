import ms, { type StringValue } from 'ms';
import { RunSettingsError } from './run.settings.error.js';

const DEFAULT_CONCURRENCY = 10;

/** Where runs are executed, and by which rules. */
export interface RunSettings {
  /** `dispatched`: by workers (`npm run start:worker`). */
  readonly execute: 'here' | 'dispatched';
  /** How long a process may be silent before its runs are closed by another one. Absent: the library's own. */
  readonly lease?: StringValue;
  /** How many runs a worker executes at once. */
  readonly concurrency: number;
}

/** What the environment says: `RUNS` (`here` or `dispatched`), `RUN_LEASE` (such as `10s`), `WORKER_CONCURRENCY`. Throws `RunSettingsError`. */
export function runSettings(env: NodeJS.ProcessEnv = process.env): RunSettings {
  const { RUNS: execute = 'here', RUN_LEASE: lease, WORKER_CONCURRENCY: concurrency } = env;
  if (execute !== 'here' && execute !== 'dispatched') {
    throw new RunSettingsError('RUNS', execute, "'here' or 'dispatched'");
  }
  return {
    execute,
    concurrency: concurrency === undefined ? DEFAULT_CONCURRENCY : count(concurrency),
    ...(lease === undefined ? {} : { lease: duration(lease) }),
  };
}

function duration(text: string): StringValue {
  const value = text as StringValue;
  if (/^\d+ ?(ms|s|m|h)$/.test(text) && ms(value) > 0) return value;
  throw new RunSettingsError('RUN_LEASE', text, 'a duration such as 10s or 1m');
}

function count(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new RunSettingsError('WORKER_CONCURRENCY', text, 'a number from 1 to 9999');
}

import { StartError } from '../starting/start.error.js';

/** `RUNS`, `RUN_LEASE` or `WORKER_CONCURRENCY` says what cannot be. */
export class RunSettingsError extends StartError {
  constructor(setting: string, value: string, wanted: string) {
    super(`${setting} is '${value}': set ${wanted}, or leave it out.`);
  }
}

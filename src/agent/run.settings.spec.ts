import { RunSettingsError } from './run.settings.error.js';
import { runSettings } from './run.settings.js';

describe('the settings of runs', () => {
  it.each([
    [{}, { execute: 'here', concurrency: 10 }],
    [{ RUNS: 'dispatched' }, { execute: 'dispatched', concurrency: 10 }],
    [
      { RUNS: 'here', RUN_LEASE: '2s' },
      { execute: 'here', concurrency: 10, lease: '2s' },
    ],
    [{ WORKER_CONCURRENCY: '40' }, { execute: 'here', concurrency: 40 }],
  ])('%j is %j', (env, settings) => {
    expect(runSettings(env)).toEqual(settings);
  });

  it.each([
    [{ RUNS: 'worker' }, "RUNS is 'worker'"],
    [{ RUN_LEASE: 'soon' }, "RUN_LEASE is 'soon'"],
    [{ RUN_LEASE: '0s' }, "RUN_LEASE is '0s'"],
    [{ WORKER_CONCURRENCY: '0' }, "WORKER_CONCURRENCY is '0'"],
    [{ WORKER_CONCURRENCY: '1e3' }, "WORKER_CONCURRENCY is '1e3'"],
  ])('%j is refused', (env, problem) => {
    expect(() => runSettings(env)).toThrow(RunSettingsError);
    expect(() => runSettings(env)).toThrow(problem);
  });
});

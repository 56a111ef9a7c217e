import type { Command } from 'commander';
import { instantOption } from './instant.option.js';

/** Which evidence a command is about; all of it where nothing is named. */
export interface ScopeOptions {
  readonly organization?: string;
  readonly principal?: string;
  readonly run?: string;
  readonly from?: Date;
  readonly until?: Date;
}

/** The scope as the library names it. */
export interface Scope {
  readonly organizationId?: string;
  readonly principalId?: string;
  readonly runId?: string;
  readonly from?: Date;
  readonly until?: Date;
}

export const withScope = (command: Command): Command =>
  command
    .option('--organization <id>', "only one organization's evidence")
    .option('--principal <id>', "only one person's")
    .option('--run <id>', 'only of one run')
    .option('--from <instant>', 'from this instant on, such as 2026-11-01 or 2026-11-01T12:00:00Z', instantOption)
    .option('--until <instant>', 'until this instant', instantOption);

export const scopeOf = ({ organization, principal, run, from, until }: ScopeOptions): Scope => ({
  ...(organization === undefined ? {} : { organizationId: organization }),
  ...(principal === undefined ? {} : { principalId: principal }),
  ...(run === undefined ? {} : { runId: run }),
  ...(from === undefined ? {} : { from }),
  ...(until === undefined ? {} : { until }),
});

import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { within } from '../values/within.js';
import { RunFeed } from './run.feed.js';
import { RunTable } from './run.table.js';

/** At shutdown: nothing new starts, what runs is cancelled, and its records, and what is being opened or ended, are awaited for as long as `runs.drain` allows. */
@Injectable()
export class RunDrain implements BeforeApplicationShutdown {
  private draining: Promise<void> | undefined;

  constructor(
    private readonly table: RunTable,
    private readonly feed: RunFeed,
    private readonly options: ResolvedOptions,
  ) {}

  /** Once: whoever calls again, while Nest does, awaits the same. */
  beforeApplicationShutdown(): Promise<void> {
    return (this.draining ??= this.drain());
  }

  private async drain(): Promise<void> {
    this.table.close();
    await within(this.table.quiet(), this.options.runs.drain, () => new Error('drained')).catch(() => undefined);
    await this.feed.quiet(this.options.runs.grace);
  }
}

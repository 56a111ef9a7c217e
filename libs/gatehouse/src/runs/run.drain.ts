import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { within } from '../values/within.js';
import { RunFeed } from './run.feed.js';
import { RunTable } from './run.table.js';

/** At shutdown: nothing new starts, what runs is cancelled, and its records are awaited for as long as `runs.drain` allows. */
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
    this.table.closed = true;
    const runs = this.table.all();
    for (const { cancellation } of runs) cancellation.cancel('shutdown');
    const ended = Promise.allSettled(runs.map(({ outcome }) => outcome));
    await within(ended, this.options.runs.drain, () => new Error('drained')).catch(() => undefined);
    await this.feed.quiet(this.options.runs.grace);
  }
}

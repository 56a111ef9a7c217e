import { setImmediate as nextTurn } from 'node:timers/promises';

import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';

import { RunStore } from '../contracts/ports/run.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunTable } from '../runs/run.table.js';
import { describeError } from '../values/error-text.js';
import { RunReaders } from './run.readers.js';

const LONGEST_RENEWAL = 5_000;
/** Two renewals may fail before a reader that is there counts as gone. */
const RENEWALS = 3;

/** Tells the process that drives a run, through the store, that clients of this one watch it. */
@Injectable()
export class RemoteWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.streams');
  /** Milliseconds between two notes of a watch that goes on. */
  readonly every: number;
  private readonly cut = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private forgetting: Promise<void> | undefined;

  constructor(
    private readonly readers: RunReaders,
    private readonly table: RunTable,
    private readonly store: RunStore,
    options: ResolvedOptions,
  ) {
    this.every = Math.min(LONGEST_RENEWAL, options.runs.lease / 8);
  }

  /** Notes that a client here watches this run, and goes on noting it while one does. */
  async noted(runId: string): Promise<void> {
    this.timer ??= setInterval(() => void this.renew(), this.every).unref();
    if (!this.isDriven(runId)) await this.note([runId]);
  }

  /** Nobody here watches it any more, and nobody has left it. */
  forget(runId: string): void {
    this.cut.add(runId);
    // Where many streams are ended at once, one statement does.
    this.forgetting ??= nextTurn().then(() => this.forgetAll());
  }

  /** Resolves once nothing is to be written any more. */
  async settled(): Promise<void> {
    await nextTurn();
    await this.forgetting;
  }

  beforeApplicationShutdown(): void {
    this.rest();
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isDriven(runId: string): boolean {
    return this.table.get(runId) !== undefined;
  }

  private async renew(): Promise<void> {
    const watched = this.readers.watched();
    if (watched.length === 0) return this.rest();
    const elsewhere = watched.filter((runId) => !this.isDriven(runId));
    if (elsewhere.length > 0) await this.note(elsewhere);
  }

  private note(runIds: readonly string[]): Promise<void> {
    return this.attempt(() => this.store.watch(runIds, this.every * RENEWALS));
  }

  private async forgetAll(): Promise<void> {
    while (this.cut.size > 0) {
      const runIds = [...this.cut].filter((runId) => this.readers.of(runId) === 0);
      this.cut.clear();
      if (runIds.length > 0) await this.attempt(() => this.store.unwatch(runIds));
    }
    this.forgetting = undefined;
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.warn(`Who watches could not be noted: ${describeError(error)}`);
    }
  }
}

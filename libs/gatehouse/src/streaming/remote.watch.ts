import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';

import { RunStore, type WatchEnd, type Watching, type WatchRelease } from '../contracts/ports/run.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunTable } from '../runs/run.table.js';
import { describeError } from '../values/error-text.js';
import { within } from '../values/within.js';
import { RunReaders } from './run.readers.js';

const LONGEST_RENEWAL = 5_000;
/** Two renewals may fail before a reader that is there counts as gone. */
const RENEWALS = 3;
/** Who ends leaves the others that read so many renewals to say so again: their next one comes within the first. */
const OTHERS = 2;

/** What ends the waiting for a run to be read no more. */
export interface Waiting {
  /** Somebody reads here, or the run is over. */
  readonly stop: AbortSignal;
  /** It is to be said at once. */
  readonly hurry?: AbortSignal;
}

/**
 * Tells other processes, through the store, that clients of this one watch a run, and how they ended. All share one note, so nobody wipes it: who ends shortens
 * it, and whoever is left renews it before that has passed. The process that drives a run writes none of its own, but keeps up one that is there: others ask it.
 */
@Injectable()
export class RemoteWatch implements BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.streams');
  /** Milliseconds between two notes of a watch that goes on. */
  private readonly every: number;
  /** The runs that we have noted. */
  private readonly ours = new Set<string>();
  /** A note that was sent before an end must not come after it. */
  private readonly underWay = new Set<Promise<void>>();
  private readonly ends = new Map<string, WatchRelease>();
  /** Ends in order that the store did not take: a silence would be taken for a leaving. */
  private readonly unsaid = new Map<string, WatchEnd>();
  private releasing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closing = false;

  constructor(
    private readonly readers: RunReaders,
    private readonly table: RunTable,
    private readonly store: RunStore,
    private readonly options: ResolvedOptions,
  ) {
    this.every = Math.min(LONGEST_RENEWAL, options.runs.lease / 8);
  }

  /** Notes that a client here watches this run, and goes on noting it while one does. `opened`: it has just been started or resumed here. */
  async noted(runId: string, opened: boolean): Promise<void> {
    this.start();
    // Of a run that was just opened nothing is noted that could be kept up.
    if (!opened || !this.isDriven(runId)) await this.note([runId]);
  }

  /** Nobody here watches it any more. Resolves once that is noted, or could not be. */
  release(runId: string, how: WatchRelease): Promise<void> {
    this.ends.set(runId, how);
    // Where many streams are ended at once, one statement does.
    this.releasing ??= nextTurn().then(() => this.releaseAll());
    return this.releasing;
  }

  /** Whether the note has passed: a client has left, or a process is silent that had one. */
  async lapsed(runId: string): Promise<boolean> {
    // One of ours may just be ending.
    await this.settled();
    if (this.unsaid.has(runId)) return false;
    const watching = await this.look(runId);
    return watching?.forMs === 0 && watching.ended === undefined;
  }

  /**
   * A client has left here. Resolves once nobody watches the run in any other process. False: the last one there was cut off since, with the promise that the
   * run goes on; or the waiting was stopped, or hurried while somebody watches. Throws where the store does not answer.
   */
  async unread(runId: string, { stop, hurry }: Waiting): Promise<boolean> {
    // Whoever watches elsewhere has noted it.
    if (this.isDriven(runId) && (await this.look(runId)) === undefined) return !stop.aborted;
    await this.inTime(this.release(runId, 'left'));
    const signal = hurry === undefined ? stop : AbortSignal.any([stop, hurry]);
    const first = await this.look(runId);
    for (let latest = first; !stop.aborted; latest = await this.look(runId)) {
      if (latest === undefined) return true;
      if (latest.forMs === 0) return latest.ended !== 'cut';
      if (hurry?.aborted === true) return latest.note === first?.note || latest.ended === 'gone';
      await pause(latest.forMs, undefined, { ref: false, signal }).catch(() => undefined);
    }
    return false;
  }

  /** Resolves once nothing is to be written any more. */
  async settled(): Promise<void> {
    await nextTurn();
    await this.releasing;
  }

  beforeApplicationShutdown(): void {
    this.closing = true;
    this.rest();
  }

  private start(): void {
    if (!this.closing) this.timer ??= setInterval(() => void this.renew(), this.every).unref();
  }

  private rest(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private isDriven(runId: string): boolean {
    return this.table.get(runId) !== undefined;
  }

  private async look(runId: string): Promise<Watching | undefined> {
    return this.inTime(this.store.watching(runId));
  }

  private inTime<T>(work: Promise<T>): Promise<T> {
    return within(work, this.options.runs.grace, () => new Error('The store did not answer in time.'));
  }

  private async renew(): Promise<void> {
    const watched = this.readers.watched();
    const again = [...this.unsaid];
    if (watched.length + again.length === 0) return this.rest();
    this.unsaid.clear();
    for (const [runId, how] of again) void this.release(runId, how);
    await this.note(watched);
  }

  private async note(runIds: readonly string[]): Promise<void> {
    const driven = runIds.filter((runId) => this.isDriven(runId));
    const elsewhere = runIds.filter((runId) => !this.isDriven(runId));
    const work = Promise.all([this.write(driven, 'noted'), this.write(elsewhere)]).then(() => undefined);
    this.underWay.add(work);
    await work;
    this.underWay.delete(work);
  }

  private async write(runIds: readonly string[], only?: 'noted'): Promise<void> {
    if (runIds.length === 0) return;
    await this.attempt(async () => {
      for (const runId of await this.store.watch(runIds, this.every * RENEWALS, only)) this.ours.add(runId);
    });
  }

  private async releaseAll(): Promise<void> {
    while (this.ends.size > 0) {
      await Promise.all(this.underWay);
      const ended = [...this.ends].filter(([runId]) => this.readers.of(runId) === 0);
      this.ends.clear();
      await this.end('cut', ended);
      await this.end('gone', ended);
      await this.end('left', ended);
    }
    this.releasing = undefined;
  }

  private async end(how: WatchRelease, ended: readonly (readonly [string, WatchRelease])[]): Promise<void> {
    const runIds = ended
      .filter(([runId, its]) => its === how && (how === 'left' || this.ours.has(runId)))
      .map(([runId]) => runId);
    if (runIds.length === 0) return;
    const said = await this.attempt(() => this.store.unwatch(runIds, how, this.every * OTHERS));
    for (const runId of runIds) {
      if (said || how === 'left') this.ours.delete(runId);
      else this.unsaid.set(runId, how);
    }
    if (this.unsaid.size > 0) this.start();
  }

  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.logger.warn(`Who watches could not be noted: ${describeError(error)}`);
      return false;
    }
  }
}

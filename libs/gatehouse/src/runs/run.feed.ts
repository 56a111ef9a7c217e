import { Injectable } from '@nestjs/common';

import { EventsExpiredError } from '../contracts/errors/events-expired.error.js';
import { RunReader, type StoredFrames } from '../contracts/ports/run.reader.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import { endsRun, endsSegment, type RunEvent, type RunFrame } from '../contracts/run.events.js';
import type { RunStatus } from '../contracts/statuses.js';
import { newId } from '../values/ids.js';
import { Doorbell } from './doorbell.js';
import { PersistencePatience } from './persistence.patience.js';
import { RecentFrames } from './recent.frames.js';

/** A wake-up is only a hint: this is how late news can be when it is lost. */
const POLL_MS = 5_000;
const BATCH = 2_000;
const NOTHING_YET: StoredFrames = { frames: [], more: false };

/** How long to follow: to the end of one segment, or, through suspensions, to the end of the run. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  readonly until: 'segment' | 'run';
}

const goesOn = (status: RunStatus): boolean => status === 'queued' || status === 'running' || status === 'suspended';

/**
 * The stored events of a run, replayed and then live, from whichever process writes them: `seq` strictly increasing, no gap, no duplicate.
 *
 * @example
 * ```ts
 * for await (const { seq, event } of feed.follow(runId, 0, { until: 'run' })) console.log(seq, event.type);
 * ```
 */
@Injectable()
export class RunFeed {
  private readonly segments = new Set<string>();
  private readonly idle = new Doorbell();

  constructor(
    private readonly reader: RunReader,
    private readonly wakeup: Wakeup,
    private readonly patience: PersistencePatience,
    private readonly recent: RecentFrames,
  ) {}

  /**
   * Frames with `seq` above `after`. Ends after the event that `until` names, on an aborted signal (without throwing), and for a run that is
   * unknown or has no more to say. Throws `StorageUnavailableError` when the store does not answer, `EventsExpiredError` where they were deleted.
   */
  async *follow(runId: string, after: number, options: FollowOptions): AsyncGenerator<RunFrame, void, void> {
    for await (const frames of this.batches(runId, after, options)) {
      for (const frame of frames) {
        yield frame;
        if (options.signal?.aborted === true) return;
      }
    }
  }

  /** The same, as they come: what is there already together, never an empty batch. */
  async *batches(
    runId: string,
    after: number,
    { signal, until }: FollowOptions,
  ): AsyncGenerator<readonly RunFrame[], void, void> {
    const bell = new Doorbell();
    const reading = newId();
    if (until === 'segment') this.segments.add(reading);
    const stopped = (): boolean => signal?.aborted ?? false;
    // Before the first read: what is written between a read and a later subscription would go unheard.
    const unsubscribe = this.wakeup.subscribe(runId, bell.ring);
    try {
      let cursor = after;
      let expected = true;
      while (!stopped()) {
        bell.silence();
        const read: StoredFrames | undefined =
          (expected && (await this.written(runId, cursor))) || (await this.polled(runId, cursor));
        if (read === undefined || stopped()) return;
        const last = read.frames.findIndex(({ event }) => closes(event, until));
        const frames = last < 0 ? read.frames : read.frames.slice(0, last + 1);
        if (frames.length > 0) yield frames;
        if (last >= 0) return;
        cursor = frames.at(-1)?.seq ?? cursor;
        expected = read.more || (await bell.heard(POLL_MS, signal));
      }
    } finally {
      unsubscribe();
      this.segments.delete(reading);
      if (this.segments.size === 0) this.idle.ring();
    }
  }

  /** Resolves once nobody here follows a segment any more, or the time is over: at shutdown, last events are read before the store closes. */
  async quiet(milliseconds: number): Promise<void> {
    this.idle.silence();
    if (this.segments.size > 0) await this.idle.heard(milliseconds);
  }

  /** What there is, from memory where it is held; nothing where there is nothing new. */
  private async written(runId: string, cursor: number): Promise<StoredFrames | undefined> {
    const recent = this.recent.after(runId, cursor);
    if (recent !== undefined) return { frames: recent, more: false };
    const stored = await this.stored(runId, cursor);
    return stored.frames.length > 0 ? stored : undefined;
  }

  /** The same by the run's own word, which costs one read while it has none; nothing where nothing will come. A terminal event is stored with the terminal status. */
  private async polled(runId: string, cursor: number): Promise<StoredFrames | undefined> {
    const run = await this.patience.outlast(() => this.reader.run(runId));
    if (run === undefined) return undefined;
    if (run.lastSeq <= cursor) return goesOn(run.status) ? NOTHING_YET : undefined;
    const stored = await this.stored(runId, cursor);
    if (stored.frames.length === 0) throw new EventsExpiredError(runId, cursor);
    return stored;
  }

  private stored(runId: string, after: number): Promise<StoredFrames> {
    return this.patience.outlast(() => this.reader.frames(runId, after, BATCH));
  }
}

const closes = (event: RunEvent, until: FollowOptions['until']): boolean =>
  until === 'segment' ? endsSegment(event) : endsRun(event);

import { Injectable } from '@nestjs/common';

import { EventsExpiredError } from '../contracts/errors/events-expired.error.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import { endsRun, endsSegment, type RunEvent, type RunFrame } from '../contracts/run.events.js';
import type { RunStatus } from '../contracts/statuses.js';
import { newId } from '../values/ids.js';
import { Doorbell } from './doorbell.js';
import { PersistencePatience } from './persistence.patience.js';
import { RecentFrames } from './recent.frames.js';

/** A wake-up is only a hint: this is how late news can be when it is lost. */
const POLL_MS = 5_000;
const BATCH = 500;

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
  async *follow(runId: string, after: number, { signal, until }: FollowOptions): AsyncGenerator<RunFrame, void, void> {
    const bell = new Doorbell();
    const reading = newId();
    if (until === 'segment') this.segments.add(reading);
    const stopped = (): boolean => signal?.aborted ?? false;
    // Before the first read: what is written between a read and a later subscription would go unheard.
    const unsubscribe = this.wakeup.subscribe(runId, bell.ring);
    try {
      let cursor = after;
      while (!stopped()) {
        bell.silence();
        const frames = this.recent.after(runId, cursor) ?? (await this.stored(runId, cursor));
        for (const frame of frames) {
          if (stopped()) return;
          cursor = frame.seq;
          yield frame;
          if (closes(frame.event, until)) return;
        }
        if (frames.length >= BATCH) continue;
        if (frames.length === 0 && (await this.saidEverything(runId, cursor))) return;
        await bell.heard(POLL_MS, signal);
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

  private stored(runId: string, after: number): Promise<readonly RunFrame[]> {
    return this.patience.outlast(() => this.reader.frames(runId, after, BATCH));
  }

  /** A terminal event is stored with the terminal status: ended and nothing left means that nothing will come. */
  private async saidEverything(runId: string, cursor: number): Promise<boolean> {
    const run = await this.reader.run(runId);
    if (run !== undefined && goesOn(run.status)) return false;
    if (run?.eventsExpiredAt !== undefined && cursor < run.lastSeq) throw new EventsExpiredError(runId, cursor);
    return (await this.reader.frames(runId, cursor, 1)).length === 0;
  }
}

const closes = (event: RunEvent, until: FollowOptions['until']): boolean =>
  until === 'segment' ? endsSegment(event) : endsRun(event);

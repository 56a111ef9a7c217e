import type { RunEvent, RunFrame } from '../contracts/run.events.js';
import type { Fence } from '../contracts/ports/run.fence.js';
import type { RunStore } from '../contracts/ports/run.store.js';
import type { Wakeup } from '../contracts/ports/wakeup.js';
import { OpenSpans } from './open.spans.js';
import type { RecentFrames } from './recent.frames.js';
import type { WritePace } from './write.pace.js';

/** How a write to the store is tried; the session decides how long a missing database is waited for. */
export type Persist = <T>(write: () => Promise<T>) => Promise<T>;

/**
 * What one run says, stored before it is sent. Writes go one after another, so that a reader never sees a later event before an earlier one. What is said while
 * a write is under way, or shortly after one, is written together, its deltas merged; what is stored is what is sent.
 */
export class RunLog {
  private readonly spans = new OpenSpans();
  private queued: RunEvent[] = [];
  private lane: Promise<unknown> = Promise.resolve();
  private scheduled = false;
  private gathering: NodeJS.Timeout | undefined;
  private wroteAt = 0;
  private closed = false;

  constructor(
    private readonly fence: Fence,
    private seq: number,
    private readonly store: RunStore,
    private readonly wakeup: Wakeup,
    private readonly recent: RecentFrames,
    private readonly pace: WritePace,
    private readonly persist: Persist,
    /** A write that failed for good: the run cannot go on. */
    private readonly broken: (error: unknown) => void,
  ) {}

  /** Queues an event; it is stored soon, in order. */
  emit(event: RunEvent): void {
    if (this.closed) return;
    for (const fitting of this.spans.fitted(event)) {
      queue(this.queued, fitting);
      this.spans.note(fitting);
    }
    if (this.scheduled || this.gathering !== undefined || this.queued.length === 0) return;
    const pause = this.pace.pause(this.fence.runId, this.wroteAt);
    if (pause === 0) this.schedule();
    else this.gathering = setTimeout(() => this.schedule(), pause);
  }

  private schedule(): void {
    this.stopGathering();
    this.scheduled = true;
    void this.enqueue(() => this.flush()).catch(this.broken);
  }

  private stopGathering(): void {
    clearTimeout(this.gathering);
    this.gathering = undefined;
  }

  /** What a process that is gone said in this run: whoever ends its segment closes what it left open. */
  recall(frames: readonly RunFrame[]): void {
    for (const { event } of frames) this.spans.note(event);
  }

  /** Everything queued is stored, then `write` runs with the frames of these events as part of its own transaction. */
  transact<T>(events: readonly RunEvent[], write: (frames: readonly RunFrame[]) => Promise<T>): Promise<T> {
    return this.transactIf(events, write, () => true);
  }

  /** The same, for a write that may decide to store nothing: then its frames were never said. */
  transactIf<T>(
    events: readonly RunEvent[],
    write: (frames: readonly RunFrame[]) => Promise<T>,
    wasWritten: (result: T) => boolean,
  ): Promise<T> {
    return this.enqueue(async () => {
      await this.flush();
      const frames = this.number(events);
      const result = await this.persist(() => write(frames));
      if (!wasWritten(result)) return result;
      for (const event of events) this.spans.note(event);
      this.commit(frames);
      return result;
    });
  }

  /** The closings of every open span, then the terminal event. Whatever is emitted afterwards came too late and is dropped. */
  closing(event: RunEvent): readonly RunEvent[] {
    this.closed = true;
    return [...this.spans.closings(), event];
  }

  /** The run goes on after all: the segment stays open. */
  reopen(): void {
    this.closed = false;
  }

  get lastSeq(): number {
    return this.seq;
  }

  private enqueue<T>(job: () => Promise<T>): Promise<T> {
    const next = this.lane.then(job, job);
    this.lane = next.catch(() => undefined);
    return next;
  }

  private async flush(): Promise<void> {
    this.scheduled = false;
    this.stopGathering();
    if (this.queued.length === 0) return;
    const events = this.queued;
    this.queued = [];
    const frames = this.number(events);
    await this.persist(() => this.store.appendFrames(this.fence, frames));
    this.commit(frames);
  }

  private number(events: readonly RunEvent[]): readonly RunFrame[] {
    return events.map((event, index) => ({ seq: this.seq + index + 1, event: fixed(event) }));
  }

  private commit(frames: readonly RunFrame[]): void {
    if (frames.length === 0) return;
    this.seq += frames.length;
    this.wroteAt = this.pace.now();
    this.recent.keep(this.fence.runId, frames);
    this.wakeup.notify(this.fence.runId);
  }
}

/** What is said from memory is what is stored, whatever becomes of a value that its executor still holds. */
const fixed = (event: RunEvent): RunEvent => (isFlat(event) ? event : (JSON.parse(JSON.stringify(event)) as RunEvent));

const isFlat = (event: RunEvent): boolean =>
  Object.values(event).every((value) => typeof value !== 'object' || value === null);

const queue = (queued: RunEvent[], event: RunEvent): void => {
  const last = queued.at(-1);
  if (event.type === 'text.delta' || event.type === 'reasoning.delta') {
    if (last?.type === event.type && last.messageId === event.messageId) {
      queued[queued.length - 1] = { ...last, delta: last.delta + event.delta };
      return;
    }
  }
  queued.push(event);
};

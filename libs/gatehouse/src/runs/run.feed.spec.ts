import type { RunReader, StoredFrames } from '../contracts/ports/run.reader.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import type { RunEvent, RunFrame } from '../contracts/run.events.js';
import type { RunStatus } from '../contracts/statuses.js';
import type { PersistencePatience } from './persistence.patience.js';
import { RecentFrames } from './recent.frames.js';
import { RunFeed } from './run.feed.js';

const delta = (text: string): RunEvent => ({ type: 'text.delta', messageId: 'm', delta: text });
const SUSPENDED: RunEvent = { type: 'run.suspended', segment: 's', approvals: [] };
const FINISHED: RunEvent = { type: 'run.finished', segment: 's', output: null };

/** A log that is written while it is read. `beforeAnswer` runs between a read's snapshot and its answer. */
class Log extends Wakeup implements Pick<RunReader, 'frames' | 'run'> {
  readonly frameList: RunFrame[] = [];
  readonly listeners = new Set<() => void>();
  readonly recent = new RecentFrames();
  status: RunStatus | undefined = 'running';
  reads = 0;
  expired: Partial<StoredRun> = {};
  beforeAnswer: (() => void) | undefined;

  write(...events: RunEvent[]): void {
    for (const event of events) this.frameList.push({ seq: this.frameList.length + 1, event });
    this.notify();
  }
  /** As `RunLog` does: stored, kept in memory, rung. */
  commit(event: RunEvent): void {
    const frame = { seq: this.frameList.length + 1, event };
    this.frameList.push(frame);
    this.recent.keep('run', [frame]);
    this.notify();
  }
  /** Its events were deleted, up to this last one. */
  expire(lastSeq: number): void {
    this.frameList.length = 0;
    this.status = 'completed';
    this.expired = { lastSeq, eventsExpiredAt: new Date() };
  }
  notify(): void {
    for (const listener of this.listeners) listener();
  }
  subscribe(_runId: string, listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  async frames(_runId: string, after: number, limit: number): Promise<StoredFrames> {
    this.reads += 1;
    const later = this.frameList.filter(({ seq }) => seq > after);
    this.beforeAnswer?.();
    this.beforeAnswer = undefined;
    return { frames: later.slice(0, limit), more: later.length > limit };
  }
  async run(): Promise<StoredRun | undefined> {
    return this.status === undefined
      ? undefined
      : ({ status: this.status, lastSeq: this.frameList.length, ...this.expired } as StoredRun);
  }
  feed(): RunFeed {
    const patience = { outlast: (read) => read() } as PersistencePatience;
    return new RunFeed(this as unknown as RunReader, this, patience, this.recent);
  }
}

const seqs = async (frames: AsyncIterable<RunFrame>): Promise<number[]> => {
  const seen: number[] = [];
  for await (const frame of frames) seen.push(frame.seq);
  return seen;
};

describe('RunFeed.follow', () => {
  it('replays what is stored after the given seq, then follows live to the terminal event', async () => {
    const log = new Log();
    log.write(delta('a'), delta('b'));
    const following = seqs(log.feed().follow('run', 1, { until: 'segment' }));
    await new Promise(setImmediate);
    log.write(delta('c'));
    await new Promise(setImmediate);
    log.write(delta('d'), FINISHED);
    expect(await following).toEqual([2, 3, 4, 5]);
    expect(log.listeners.size).toBe(0);
  });

  it('hears what is written between the snapshot of a read and its answer', async () => {
    const log = new Log();
    log.write(delta('a'));
    log.beforeAnswer = () => log.write(delta('b'), FINISHED);
    expect(await seqs(log.feed().follow('run', 0, { until: 'segment' }))).toEqual([1, 2, 3]);
    expect(log.reads).toBe(2);
  });

  it('ends a segment at a suspension, and follows a run through it', async () => {
    const log = new Log();
    log.write(delta('a'), SUSPENDED);
    log.status = 'suspended';
    expect(await seqs(log.feed().follow('run', 0, { until: 'segment' }))).toEqual([1, 2]);
    const whole = seqs(log.feed().follow('run', 0, { until: 'run' }));
    await new Promise(setImmediate);
    log.write(delta('b'), FINISHED);
    expect(await whole).toEqual([1, 2, 3, 4]);
  });

  it('reads more than one batch in order, without gap or duplicate', async () => {
    const log = new Log();
    log.write(...Array.from({ length: 1_000 }, (_, at) => delta(String(at))), FINISHED);
    expect(await seqs(log.feed().follow('run', 0, { until: 'run' }))).toEqual(
      Array.from({ length: 1_001 }, (_, at) => at + 1),
    );
  });

  it.each([['completed' as const], [undefined]])('ends at once where a run (%s) has no more to say', async (status) => {
    const log = new Log();
    log.write(delta('a'), FINISHED);
    log.status = status;
    expect(await seqs(log.feed().follow('run', 2, { until: 'run' }))).toEqual([]);
    expect(log.listeners.size).toBe(0);
  });

  it('ends on an abort while it waits, without throwing and without leaving a listener', async () => {
    const log = new Log();
    const stop = new AbortController();
    const following = seqs(log.feed().follow('run', 0, { until: 'run', signal: stop.signal }));
    await new Promise(setImmediate);
    stop.abort();
    expect(await following).toEqual([]);
    expect(log.listeners.size).toBe(0);
  });

  it('unsubscribes when its reader stops, and when the store throws', async () => {
    const log = new Log();
    log.write(delta('a'), delta('b'));
    for await (const frame of log.feed().follow('run', 0, { until: 'run' })) if (frame.seq === 1) break;
    expect(log.listeners.size).toBe(0);
    log.beforeAnswer = () => {
      throw new Error('store is gone');
    };
    await expect(seqs(log.feed().follow('run', 0, { until: 'run' }))).rejects.toThrow('store is gone');
    expect(log.listeners.size).toBe(0);
  });
});

describe('RunFeed.follow, live', () => {
  it('reads frames that were just committed from memory: history from the store, then no question for each', async () => {
    const log = new Log();
    log.write(delta('a'), delta('b'));
    const following = seqs(log.feed().follow('run', 0, { until: 'run' }));
    await new Promise(setImmediate);
    const before = log.reads;
    for (const text of ['c', 'd', 'e']) {
      log.commit(delta(text));
      await new Promise(setImmediate);
    }
    log.commit(FINISHED);
    expect(await following).toEqual([1, 2, 3, 4, 5, 6]);
    expect(log.reads).toBe(before);
  });

  it('tells a reader whose run has lost its events while it was reading, instead of ending as if that were all', async () => {
    const log = new Log();
    log.write(...Array.from({ length: 200 }, (_, at) => delta(String(at))));
    const reading = log.feed().follow('run', 0, { until: 'run' });
    const seen: number[] = [];
    const read = async (): Promise<void> => {
      for await (const { seq } of reading) {
        seen.push(seq);
        if (seq === 200) log.expire(300);
      }
    };
    await expect(read()).rejects.toThrow('The events of run run are no longer kept.');
    expect(seen).toHaveLength(200);
  });
});

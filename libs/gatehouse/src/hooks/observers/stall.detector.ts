import type { Clock } from '../../contracts/clock.js';
import type { Duration } from '../../contracts/duration.js';
import { toMilliseconds } from '../../values/durations.js';
import { SystemClock } from '../../values/system.clock.js';
import type { Detection, Detector, WatchedCall } from './detection.js';
import { RunMemory } from './run.memory.js';

/** Options of `StallDetector`. */
export interface StallDetectorOptions {
  /** How long a call may stand open. Default `'60s'`. */
  readonly after?: Duration;
  /** Default: the machine's. */
  readonly clock?: Clock;
}

interface OpenCall {
  readonly toolName: string;
  readonly since: number;
  told: boolean;
}

interface Track {
  readonly open: Map<string, OpenCall>;
  readonly ended: Detection[];
}

/**
 * A call that stood open for longer than `after`: no result, no error. Seen while it lasts by whoever looks, and by the hook at the run's next
 * call. A call that waits for a person stands open too: do not poll a suspended run.
 */
export class StallDetector implements Detector {
  readonly name = 'stall';
  private readonly afterMs: number;
  private readonly clock: Clock;
  private readonly memory = new RunMemory<Track>(() => ({ open: new Map(), ended: [] }));

  /** Throws `TypeError` for what is no duration. */
  constructor({ after = '60s', clock = new SystemClock() }: StallDetectorOptions = {}) {
    this.afterMs = toMilliseconds(after, 'StallDetector.after');
    this.clock = clock;
  }

  observe({ phase, call }: WatchedCall): void {
    const track = this.memory.of(call.call?.runId);
    const id = call.call?.operationId ?? call.toolName;
    if (phase !== 'before') return this.close(track, id);
    // A watched run has one call under way at a time: what is still open here was refused, redirected or waits, and never started.
    if (call.call !== undefined) track.open.clear();
    else this.close(track, id);
    track.open.set(id, { toolName: call.toolName, since: this.clock.monotonic(), told: false });
  }

  peek(runId?: string): Detection | undefined {
    const track = this.memory.seen(runId);
    if (track === undefined) return undefined;
    const [ended] = track.ended;
    const overdue = this.overdue(track);
    return ended ?? (overdue && this.detection(overdue));
  }

  take(runId?: string): Detection | undefined {
    const track = this.memory.seen(runId);
    if (track === undefined) return undefined;
    const ended = track.ended.shift();
    if (ended !== undefined) return ended;
    const overdue = this.overdue(track);
    if (overdue === undefined) return undefined;
    overdue.told = true;
    return this.detection(overdue);
  }

  /** A stall that nobody took while it lasted is kept for the hook. */
  private close(track: Track, id: string): void {
    const call = track.open.get(id);
    track.open.delete(id);
    if (call !== undefined && this.isOverdue(call)) track.ended.push(this.detection(call));
  }

  private overdue(track: Track): OpenCall | undefined {
    return [...track.open.values()].find((call) => this.isOverdue(call));
  }

  private isOverdue({ since, told }: OpenCall): boolean {
    return !told && this.clock.monotonic() - since > this.afterMs;
  }

  private detection({ toolName, since }: OpenCall): Detection {
    const elapsedMs = Math.round(this.clock.monotonic() - since);
    return Object.freeze({
      detector: 'stall',
      toolName,
      summary: `Tool '${toolName}' had come to nothing after ${elapsedMs} ms; ${this.afterMs} ms are allowed.`,
      details: Object.freeze({ elapsedMs, afterMs: this.afterMs }),
    });
  }
}

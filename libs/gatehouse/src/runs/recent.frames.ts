import { Injectable } from '@nestjs/common';
import { endsRun, type RunEvent, type RunFrame } from '../contracts/run.events.js';

/** In characters, about. */
const MOST_OF_ONE_RUN = 256 * 1024;
const MOST_IN_ALL = 8 * 1024 * 1024;
/** What a frame takes beside its texts. */
const FRAME = 100;

interface Tail {
  frames: RunFrame[];
  weight: number;
}

/**
 * The latest committed frames of the runs that are written here, so that live readers need not ask the store for each. Only what is stored is in it, and what is
 * not in it is read from the store: readers cannot tell. Bounded; the runs that were quiet longest go first.
 */
@Injectable()
export class RecentFrames {
  private readonly tails = new Map<string, Tail>();
  private weight = 0;

  /** Adds frames that were just committed. */
  keep(runId: string, frames: readonly RunFrame[]): void {
    const [first] = frames;
    if (first === undefined) return;
    const before = this.forget(runId);
    const follows = before !== undefined && first.seq === (before.frames.at(-1)?.seq ?? 0) + 1;
    const tail: Tail = follows ? before : { frames: [], weight: 0 };
    // One by one: as arguments of one call, the events of a loud turn do not fit the stack.
    for (const frame of frames) tail.frames.push(frame);
    tail.weight += weightOf(frames);
    this.put(runId, shortened(tail));
    for (const oldest of this.tails.keys()) {
      if (this.weight <= MOST_IN_ALL) return;
      this.forget(oldest);
    }
  }

  /** Frames above `after`, without a gap; nothing where the store has to be asked. */
  after(runId: string, after: number): readonly RunFrame[] | undefined {
    const frames = this.tails.get(runId)?.frames;
    const first = frames?.[0]?.seq;
    if (frames === undefined || first === undefined || after + 1 < first) return undefined;
    const found = frames.slice(after + 1 - first);
    return found.length === 0 ? undefined : found;
  }

  /** This process owns the run no longer: unless it has ended, another one may go on with it, and only the store knows. */
  leave(runId: string): void {
    const last = this.tails.get(runId)?.frames.at(-1);
    if (last !== undefined && !endsRun(last.event)) this.forget(runId);
  }

  /** In characters, about. */
  get size(): number {
    return this.weight;
  }

  private put(runId: string, tail: Tail): void {
    this.tails.set(runId, tail);
    this.weight += tail.weight;
  }

  private forget(runId: string): Tail | undefined {
    const tail = this.tails.get(runId);
    if (tail === undefined) return undefined;
    this.tails.delete(runId);
    this.weight -= tail.weight;
    return tail;
  }
}

/** Half of a tail that has grown too long: cut now and then, not with every frame. */
function shortened(tail: Tail): Tail {
  let { frames, weight } = tail;
  while (weight > MOST_OF_ONE_RUN && frames.length > 1) {
    frames = frames.slice(Math.ceil(frames.length / 2));
    weight = weightOf(frames);
  }
  return { frames, weight };
}

const weightOf = (frames: readonly RunFrame[]): number => frames.reduce((sum, { event }) => sum + textOf(event), 0);

const textOf = (event: RunEvent): number =>
  Object.values(event).reduce<number>((sum, value: unknown) => sum + lengthOf(value), FRAME);

const lengthOf = (value: unknown): number => {
  if (typeof value === 'string') return value.length;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 0;
};

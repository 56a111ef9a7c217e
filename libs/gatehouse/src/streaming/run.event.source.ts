import { Logger } from '@nestjs/common';

import { endsSegment, type RunFrame } from '../contracts/run.events.js';
import type { FollowOptions, RunFeed } from '../runs/run.feed.js';
import { newId } from '../values/ids.js';
import type { ClientConnection } from './client.connection.js';
import type { EarlyEnd, EventSource, SseEvent } from './event.stream.js';
import { problemOf } from './http/problem.js';
import type { StreamEncoder, StreamProtocol, WireRun } from './stream.protocol.js';

/** One client's view of one run. */
export interface StreamRequest {
  readonly run: WireRun;
  readonly protocol: StreamProtocol;
  readonly connection: ClientConnection;
  /** The `seq` before the first frame of what is streamed: 0 for a whole run. The stream ends with the first end, as `until` says, after it. */
  readonly from: number;
  /** What the client has already; nothing up to it is sent again. Where it is before `from`, the frames between are told first. */
  readonly after: number;
  /** The client's last event ended a segment: until the next one begins it waits for nothing. Default: it waits for a terminal event. */
  readonly resting?: boolean;
  readonly until: FollowOptions['until'];
}

/** How much goes out together: with what HTTP adds it stays below what a socket holds before it asks to wait. */
const PACK_CHARACTERS = 8 * 1024;

const FAREWELL = {
  'too-old': {
    code: 'stream_expired',
    text: 'This stream was open for its longest time. The run goes on: attach again.',
  },
  closing: { code: 'shutting_down', text: 'The server closes. The run is stored: attach again.' },
};

/**
 * A run's frames as events of a protocol. The last event of a frame has its `seq` as id; where a frame makes several, the ones before it are numbered behind the
 * frame before: after `6.1` comes the rest of frame 7.
 */
export class RunEventSource implements EventSource {
  private readonly logger = new Logger('gatehouse.streams');
  private readonly encoder: StreamEncoder;
  private sent: number;
  /** Behind frame `lastSeq`, so many more events. */
  private lastSeq: number;
  private lastPart = 0;
  /** The client waits for a terminal event. */
  private speaking: boolean;
  private goal: { readonly seq: number; readonly reached: () => void } | undefined;

  constructor(
    private readonly feed: RunFeed,
    private readonly request: StreamRequest,
  ) {
    this.sent = request.after;
    this.lastSeq = request.after;
    this.speaking = request.resting !== true;
    this.encoder = request.protocol.encoder(request.run, request.from + 1);
  }

  async *events(signal: AbortSignal): AsyncGenerator<readonly SseEvent[], void, void> {
    for await (const frames of this.frames(signal)) yield* this.packed(frames);
  }

  /** What was said is noted first: whoever is handed events sends them, and may never ask for the next ones. */
  private *packed(frames: readonly RunFrame[]): Generator<readonly SseEvent[], void, void> {
    let pack: SseEvent[] = [];
    let characters = 0;
    for (const [at, frame] of frames.entries()) {
      if (frame.seq <= this.request.after) continue;
      for (const event of this.eventsOf(frame)) {
        pack.push(event);
        characters += event.data.length;
      }
      if (characters < PACK_CHARACTERS && at < frames.length - 1) continue;
      if (pack.length > 0) yield pack;
      pack = [];
      characters = 0;
      this.sent = frame.seq;
      if (this.goal !== undefined && frame.seq >= this.goal.seq) this.goal.reached();
    }
  }

  private *eventsOf(frame: RunFrame): Generator<SseEvent, void, void> {
    const texts = this.encoder.encode(frame);
    for (const [at, data] of texts.entries()) {
      const isLast = at === texts.length - 1;
      this.lastSeq = isLast ? frame.seq : frame.seq - 1;
      this.lastPart = isLast ? 0 : at + 1;
      this.speaking = !(isLast && endsSegment(frame.event));
      yield { id: idOf(this.lastSeq, this.lastPart), data };
    }
  }

  private async *frames(signal: AbortSignal): AsyncGenerator<readonly RunFrame[], void, void> {
    const { run, from, after, until } = this.request;
    if (after < from) yield* this.told(after, from, signal);
    // A client may name a frame behind the end of its segment: read from the segment's start, it still ends.
    yield* this.feed.batches(run.runId, from, { signal, until });
  }

  /** Frames that are stored already, whichever segments they belong to. */
  private async *told(
    after: number,
    last: number,
    signal: AbortSignal,
  ): AsyncGenerator<readonly RunFrame[], void, void> {
    for await (const frames of this.feed.batches(this.request.run.runId, after, { signal, until: 'run' })) {
      yield frames.filter(({ seq }) => seq <= last);
      if ((frames.at(-1)?.seq ?? last) >= last) return;
    }
  }

  /** Calls back once everything up to `seq` was sent. */
  caughtUp(seq: number, reached: () => void): void {
    if (this.sent >= seq) reached();
    else this.goal = { seq, reached };
  }

  /** What the server says last is no part of the run: its ids stand behind that of the last event, from which a client goes on. */
  lastWords(why: EarlyEnd): readonly SseEvent[] {
    return this.wordsFor(why).map((data, at) => ({ id: idOf(this.lastSeq, this.lastPart + at + 1), data }));
  }

  private wordsFor(why: EarlyEnd): readonly string[] {
    const { protocol } = this.request;
    if (typeof why === 'string') return this.speaking ? protocol.error(FAREWELL[why].text, FAREWELL[why].code) : [];
    const correlationId = newId();
    const { code, detail } = problemOf(why.error);
    const stack = why.error instanceof Error ? why.error.stack : String(why.error);
    this.logger.error(`A stream of run ${this.request.run.runId} broke off: ${code} (${correlationId})`, stack);
    return protocol.error(`${detail} (${correlationId})`, code);
  }
}

const idOf = (seq: number, parts: number): string => (parts === 0 ? String(seq) : `${seq}.${parts}`);

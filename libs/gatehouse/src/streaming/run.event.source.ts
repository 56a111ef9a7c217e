import { Logger } from '@nestjs/common';

import { endsSegment } from '../contracts/run.events.js';
import type { FollowOptions, RunFeed } from '../runs/run.feed.js';
import { newId } from '../values/ids.js';
import { encodeError, encodeFrame, type WireRun } from './ag-ui/frame.encoder.js';
import type { ClientConnection } from './client.connection.js';
import type { EarlyEnd, EventSource, SseEvent } from './event.stream.js';
import { problemOf } from './http/problem.js';

/** One client's view of one run. */
export interface StreamRequest {
  readonly run: WireRun;
  readonly connection: ClientConnection;
  /** The `seq` before the first frame of what is streamed: 0 for a whole run. */
  readonly from: number;
  /** What the client has already; nothing up to it is sent again. */
  readonly after: number;
  readonly until: FollowOptions['until'];
}

const FAREWELL = {
  'too-old': encodeError('This stream was open for its longest time. The run goes on: attach again.', 'stream_expired'),
  closing: encodeError('The server closes. The run is stored: attach again.', 'shutting_down'),
};

/** A run's frames as AG-UI events, each with its `seq` as its id. */
export class RunEventSource implements EventSource {
  private readonly logger = new Logger('gatehouse.streams');
  private sent: number;
  /** A segment is open on this stream: its client waits for a terminal event. */
  private speaking = false;
  private goal: { readonly seq: number; readonly reached: () => void } | undefined;

  constructor(
    private readonly feed: RunFeed,
    private readonly request: StreamRequest,
  ) {
    this.sent = request.after;
  }

  async *events(signal: AbortSignal): AsyncGenerator<SseEvent, void, void> {
    const { run, from, after, until } = this.request;
    // A client may name a frame behind the end of its segment: read from the segment's start, it still ends.
    for await (const frame of this.feed.follow(run.runId, from, { signal, until })) {
      if (frame.seq <= after) continue;
      const data = encodeFrame(frame, run);
      this.sent = frame.seq;
      this.speaking = !endsSegment(frame.event);
      if (data !== undefined) yield { id: String(frame.seq), data };
      if (this.goal !== undefined && frame.seq >= this.goal.seq) this.goal.reached();
    }
  }

  /** Calls back once everything up to `seq` was sent. */
  caughtUp(seq: number, reached: () => void): void {
    if (this.sent >= seq) reached();
    else this.goal = { seq, reached };
  }

  /** What the server says last is no part of the run: it takes the id of the last frame, from which a client goes on. */
  lastWord(why: EarlyEnd): SseEvent | undefined {
    const data = this.wordFor(why);
    return data === undefined ? undefined : { id: String(this.sent), data };
  }

  private wordFor(why: EarlyEnd): string | undefined {
    if (typeof why === 'string') return this.speaking ? FAREWELL[why] : undefined;
    const correlationId = newId();
    const { code, detail } = problemOf(why.error);
    const stack = why.error instanceof Error ? why.error.stack : String(why.error);
    this.logger.error(`A stream of run ${this.request.run.runId} broke off: ${code} (${correlationId})`, stack);
    return encodeError(`${detail} (${correlationId})`, code);
  }
}

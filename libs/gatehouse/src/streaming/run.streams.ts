import { Injectable, Logger, type BeforeApplicationShutdown, type MessageEvent } from '@nestjs/common';
import type { Observable } from 'rxjs';

import { ShuttingDownError } from '../contracts/errors/shutting-down.error.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunDrain } from '../runs/run.drain.js';
import { RunFeed } from '../runs/run.feed.js';
import { RunTable } from '../runs/run.table.js';
import { within } from '../values/within.js';
import { EventStream } from './event.stream.js';
import { RemoteWatch } from './remote.watch.js';
import { RunEventSource, type StreamRequest } from './run.event.source.js';

interface OpenStream {
  readonly request: StreamRequest;
  readonly source: RunEventSource;
  readonly stream: EventStream;
}

/** The open streams of this process, whichever protocol they speak. */
@Injectable()
export class RunStreams implements BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.streams');
  private readonly streams = new Set<OpenStream>();
  private closing = false;

  constructor(
    private readonly feed: RunFeed,
    private readonly reader: RunReader,
    private readonly drain: RunDrain,
    private readonly table: RunTable,
    private readonly remote: RemoteWatch,
    private readonly options: ResolvedOptions,
  ) {}

  /** How many streams are open here. */
  get count(): number {
    return this.streams.size;
  }

  /** Throws `ShuttingDownError` once the application closes. */
  open(request: StreamRequest): Observable<MessageEvent> {
    if (this.closing) throw new ShuttingDownError();
    const source = new RunEventSource(this.feed, request);
    const stream = new EventStream(source, request.connection, this.options.streaming);
    const open: OpenStream = { request, source, stream };
    this.streams.add(open);
    request.connection.onEnd(() => this.streams.delete(open));
    return stream.events;
  }

  /** Lets each client have its terminal event, then closes every stream. Takes `runs.drain` and three times `runs.grace` at the most. */
  async beforeApplicationShutdown(): Promise<void> {
    this.closing = true;
    const open = [...this.streams];
    // Nest may call this hook before that of the runs, whose last events the streams wait for. Draining twice is harmless.
    const drained = this.drain.beforeApplicationShutdown();
    await atMost(this.options.runs.drain, Promise.all([drained, ...open.map((stream) => this.quiet(stream))]));
    for (const { stream } of open) stream.end('closing');
    await atMost(this.options.runs.grace, Promise.all(open.map(({ stream }) => stream.closed)));
    for (const { request } of this.streams) request.connection.drop();
    await atMost(this.options.runs.grace, this.remote.settled());
  }

  /** A run of this process is being cancelled, and its last event ends the stream; one that waits, or runs elsewhere, can be followed elsewhere. */
  private async quiet({ request, source, stream }: OpenStream): Promise<void> {
    try {
      const { runId } = request.run;
      const here = this.table.get(runId) !== undefined;
      const run = await this.reader.run(runId);
      if (!here || run?.status !== 'running') source.caughtUp(run?.lastSeq ?? 0, () => stream.end('closing'));
    } catch (error) {
      this.logger.warn(`A stream is closed only at the end of the drain: ${String(error)}`);
    }
    await stream.closed;
  }
}

/** Shutting down goes on, whether this came to an end or not. */
const atMost = (milliseconds: number, work: Promise<unknown>): Promise<unknown> =>
  within(work, milliseconds, () => new Error('late')).catch(() => undefined);

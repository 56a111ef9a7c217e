import { setImmediate as nextTurn } from 'node:timers/promises';

import type { MessageEvent } from '@nestjs/common';
import { Observable, type Subscriber } from 'rxjs';

import { LONGEST_TIMER } from '../values/timers.js';
import type { ClientConnection } from './client.connection.js';

/** One SSE event: our own id, and text that we serialised. */
export interface SseEvent {
  readonly id: string;
  readonly data: string;
}

/** All in milliseconds. */
export interface StreamTiming {
  readonly heartbeat: number;
  readonly maxAge: number;
}

/** Why the server ends a stream before its source does. */
export type EarlyEnd = 'too-old' | 'closing' | { readonly error: unknown };

/** Where the events come from, and what is said last, if anything, when the server ends the stream. */
export interface EventSource {
  /** As they come: what is there already together, in packs small enough for one write. */
  events(signal: AbortSignal): AsyncIterable<readonly SseEvent[]>;
  lastWords(why: EarlyEnd): readonly SseEvent[];
}

const ALIVE: MessageEvent = Object.freeze({ comment: 'alive' });
/** Nest hands events on outside the promise queue: without a turn of the loop now and then, a long replay would all pile up in front of it. */
const CHARACTERS_PER_TURN = 64 * 1024;
/** A client that takes nothing for this many heartbeats is dropped. */
const STALLED_HEARTBEATS = 4;

/**
 * Sends a source of events to one client: as fast as the client takes them, with heartbeats in between, for at most `maxAge`. Nest's own error frame kills
 * AG-UI and AI SDK clients: what goes wrong becomes last words, never an error of the Observable.
 */
export class EventStream {
  private readonly stop = new AbortController();
  private why: EarlyEnd = 'closing';

  /** Resolves once the connection has ended. */
  readonly closed: Promise<void>;

  /** Hand it to Nest. It is subscribed once, or never where the client has gone already. */
  readonly events = new Observable<MessageEvent>((subscriber) => {
    const heartbeat = setInterval(
      () => {
        if (!this.connection.backedUp) subscriber.next(ALIVE);
      },
      Math.min(this.timing.heartbeat, LONGEST_TIMER),
    );
    const age = setTimeout(() => this.end('too-old'), Math.min(this.timing.maxAge, LONGEST_TIMER));
    // Nest 11 sends no headers for a stream that ends without a word.
    subscriber.next(ALIVE);
    void this.pump(subscriber);
    return () => {
      clearInterval(heartbeat);
      clearTimeout(age);
      this.stop.abort();
    };
  });

  constructor(
    private readonly source: EventSource,
    private readonly connection: ClientConnection,
    private readonly timing: StreamTiming,
  ) {
    this.closed = new Promise((resolve) => connection.onEnd(() => resolve()));
    connection.onEnd(() => this.stop.abort());
  }

  /** The server's own end: no disconnect, the client can attach again. */
  end(why: EarlyEnd): void {
    if (this.stop.signal.aborted) return;
    this.why = why;
    this.connection.cut();
    this.stop.abort();
  }

  private async pump(subscriber: Subscriber<MessageEvent>): Promise<void> {
    try {
      await this.send(subscriber);
    } catch (error) {
      this.end({ error });
    }
    if (this.stop.signal.aborted) this.sayLast(subscriber);
    else this.connection.finished();
    subscriber.complete();
  }

  private sayLast(subscriber: Subscriber<MessageEvent>): void {
    for (const word of this.source.lastWords(this.why)) subscriber.next(word);
  }

  private async send(subscriber: Subscriber<MessageEvent>): Promise<void> {
    const { signal } = this.stop;
    let characters = 0;
    for await (const pack of this.source.events(signal)) {
      const release = pack.length > 1 ? this.connection.gather() : undefined;
      for (const event of pack) {
        subscriber.next(event);
        characters += event.data.length;
      }
      // What was handed over counts as sent, also where the stream has just been ended.
      if (signal.aborted) return release?.();
      if (release !== undefined || characters >= CHARACTERS_PER_TURN) {
        characters = 0;
        await nextTurn();
        release?.();
      }
      if (!this.connection.backedUp) continue;
      if (!(await this.connection.drained(this.timing.heartbeat * STALLED_HEARTBEATS))) this.connection.drop();
    }
  }
}

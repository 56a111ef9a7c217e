import type { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import { timerOf } from '../values/timers.js';

/** How a connection ended: we had said everything, we cut it, or the client left. */
export type ConnectionEnd = 'finished' | 'cut' | 'left';

/**
 * One client's connection. Make it in the first synchronous line of a handler: the client may leave during any await after it, and Nest then never
 * subscribes to what the handler returns. Taken from the response: a request's own close also fires once its body was read.
 */
export class ClientConnection {
  private readonly stop = new AbortController();
  private readonly leaving: ((end: ConnectionEnd) => void)[] = [];
  private ending: ConnectionEnd = 'left';
  private ended: ConnectionEnd | undefined;
  private readonly socket: Socket | undefined;

  constructor(private readonly response: ServerResponse) {
    // A response that waits behind another one, to an earlier request of the same connection, has no socket yet and is never told that it closes.
    this.socket = response.socket ?? response.req?.socket;
    if (response.destroyed || response.closed || this.socket?.destroyed === true) this.close();
    else for (const side of this.sides) side.once('close', this.close);
  }

  /** Aborts when the connection ends, for whatever reason. */
  get signal(): AbortSignal {
    return this.stop.signal;
  }

  /** Whether the client went away while we still had something to say. */
  get gone(): boolean {
    return this.ended === 'left';
  }

  /** Runs once, when the connection has ended; at once where it already has. */
  onEnd(listener: (end: ConnectionEnd) => void): void {
    if (this.ended === undefined) this.leaving.push(listener);
    else listener(this.ended);
  }

  /** Everything was said: from here on a close is no disconnect. */
  finished(): void {
    this.ending = 'finished';
  }

  /** The server ends this stream, which can be attached again: no disconnect either. */
  cut(): void {
    if (this.ending === 'left') this.ending = 'cut';
  }

  /** Drops a client that takes nothing any more. */
  drop(): void {
    this.cut();
    this.response.destroy();
  }

  /** Holds what is written until the returned function is called: many small events leave in one write. */
  gather(): () => void {
    const socket = this.ownSocket;
    socket?.cork();
    return () => socket?.uncork();
  }

  /** Whether the client takes no more for now. */
  get backedUp(): boolean {
    return this.response.writableNeedDrain;
  }

  /** Resolves once the client takes everything again, or the connection ended; false after `milliseconds` in which it took nothing. */
  async drained(milliseconds: number): Promise<boolean> {
    for (let left = this.untaken; !(await this.drainedWithin(milliseconds)); left = this.untaken)
      if (this.untaken >= left) return false;
    return true;
  }

  private async drainedWithin(milliseconds: number): Promise<boolean> {
    if (!this.backedUp || this.ended !== undefined) return true;
    return new Promise((resolve) => {
      const settle = (taken: boolean): void => {
        clearTimeout(timer);
        this.response.removeListener('drain', drain);
        this.signal.removeEventListener('abort', drain);
        resolve(taken);
      };
      const drain = (): void => settle(true);
      const timer = timerOf(milliseconds, () => settle(false));
      this.response.once('drain', drain);
      this.signal.addEventListener('abort', drain, { once: true });
    });
  }

  /**
   * Bytes that wait for the client. To `writableLength` one large write is one step: only the handle tells how much of it has left, as it tells Node's own
   * socket timeout. Without it whole writes count.
   */
  private get untaken(): number {
    const handle: unknown = Reflect.get(this.ownSocket ?? {}, '_handle');
    const queued: unknown = Reflect.get(Object(handle), 'writeQueueSize');
    return typeof queued === 'number' && queued > 0 ? queued : this.response.writableLength;
  }

  /** A response that waits behind another one has none yet, and one of HTTP/2 shares its own with others. */
  private get ownSocket(): Socket | undefined {
    return this.response.req.httpVersionMajor === 1 ? (this.response.socket ?? undefined) : undefined;
  }

  private get sides(): readonly EventEmitter[] {
    return this.socket === undefined ? [this.response] : [this.response, this.socket];
  }

  private readonly close = (): void => {
    for (const side of this.sides) side.removeListener('close', this.close);
    this.ended = this.ending;
    this.stop.abort();
    for (const listener of this.leaving.splice(0)) listener(this.ended);
  };
}

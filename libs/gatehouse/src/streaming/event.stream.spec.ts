import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

import type { MessageEvent } from '@nestjs/common';

import { ClientConnection, type ConnectionEnd } from './client.connection.js';
import { EventStream, type EventSource, type SseEvent } from './event.stream.js';

/** The part of a response that a connection looks at. */
class Wire extends EventEmitter {
  destroyed = false;
  closed = false;
  writableNeedDrain = false;
  writableLength = 0;
  req = { httpVersionMajor: 1 };
  socket = Object.assign(new EventEmitter(), { destroyed: false });
  destroy(): void {
    this.close();
  }
  close(): void {
    this.destroyed = true;
    this.closed = true;
    this.emit('close');
  }
}

const connect = () => {
  const wire = new Wire();
  const connection = new ClientConnection(wire as unknown as ServerResponse);
  const ends: ConnectionEnd[] = [];
  connection.onEnd((end) => ends.push(end));
  return { wire, connection, ends };
};

const event = (id: number): SseEvent => ({ id: String(id), data: `{"n":${id}}` });
const ALIVE = { comment: 'alive' };
const LAST_WORD: SseEvent = { id: '0', data: 'last' };

const source = (events: (signal: AbortSignal) => AsyncIterable<SseEvent>): EventSource => ({
  events: async function* (signal) {
    for await (const one of events(signal)) yield [one];
  },
  lastWords: () => [LAST_WORD],
});
const sourceOf = (count: number): EventSource =>
  source(async function* () {
    for (let id = 1; id <= count; id += 1) yield event(id);
  });
const endless: EventSource = source(async function* (signal) {
  yield event(1);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
});

const collect = (stream: EventStream) => {
  const seen: MessageEvent[] = [];
  const done = new Promise<MessageEvent[]>((resolve, reject) => {
    stream.events.subscribe({ next: (message) => seen.push(message), error: reject, complete: () => resolve(seen) });
  });
  return { seen, done };
};

const SLOW = { heartbeat: 60_000, maxAge: 60_000 };

describe('ClientConnection', () => {
  it('a close before we finished means that the client left, and is told once', () => {
    const { wire, connection, ends } = connect();
    wire.close();
    wire.emit('close');
    expect({ ends, gone: connection.gone, aborted: connection.signal.aborted }).toEqual({
      ends: ['left'],
      gone: true,
      aborted: true,
    });
  });

  it('a close after we finished, or cut it, is no disconnect', () => {
    const finished = connect();
    finished.connection.finished();
    finished.wire.close();
    const cut = connect();
    cut.connection.drop();
    expect([...finished.ends, ...cut.ends]).toEqual(['finished', 'cut']);
  });

  it('a client that left before the handler ran is gone at once', () => {
    const wire = new Wire();
    wire.socket.destroyed = true;
    const connection = new ClientConnection(wire as unknown as ServerResponse);
    const ends: ConnectionEnd[] = [];
    connection.onEnd((end) => ends.push(end));
    expect({ gone: connection.gone, ends, listeners: wire.listenerCount('close') }).toEqual({
      gone: true,
      ends: ['left'],
      listeners: 0,
    });
  });

  it('waits for a client that is backed up, and leaves no listener behind', async () => {
    const { wire, connection } = connect();
    wire.writableNeedDrain = true;
    const drained = connection.drained(60_000);
    wire.emit('drain');
    expect(await drained).toBe(true);
    expect(await connection.drained(1)).toBe(false);
    expect(wire.listenerCount('drain')).toBe(0);
  });
});

describe('EventStream', () => {
  it('sends every event with its own id, then completes as finished', async () => {
    const { wire, connection, ends } = connect();
    const seen = await collect(new EventStream(sourceOf(3), connection, SLOW)).done;
    wire.close();
    expect(seen).toEqual([ALIVE, event(1), event(2), event(3)]);
    expect(ends).toEqual(['finished']);
  });

  it('an error of the source becomes the last word, never an error of the stream', async () => {
    const { wire, connection, ends } = connect();
    const broken = source(async function* () {
      yield event(1);
      throw new Error('store is gone');
    });
    expect(await collect(new EventStream(broken, connection, SLOW)).done).toEqual([ALIVE, event(1), LAST_WORD]);
    wire.close();
    expect(ends).toEqual(['cut']);
  });

  it('beats while nothing happens, and ends after its longest time as a cut', async () => {
    const { wire, connection, ends } = connect();
    const seen = await collect(new EventStream(endless, connection, { heartbeat: 5, maxAge: 60 })).done;
    wire.close();
    expect(seen.slice(0, 2)).toEqual([ALIVE, event(1)]);
    expect(seen.at(-1)).toEqual(LAST_WORD);
    expect(seen.slice(2, -1)).toContainEqual(ALIVE);
    expect(ends).toEqual(['cut']);
  });

  it('drops a client that takes nothing for four heartbeats, as a cut', async () => {
    const { wire, connection, ends } = connect();
    wire.writableNeedDrain = true;
    await collect(new EventStream(sourceOf(100), connection, { heartbeat: 2, maxAge: 60_000 })).done;
    expect(ends).toEqual(['cut']);
  });

  it('stops its source when the client leaves', async () => {
    const { wire, connection, ends } = connect();
    const stream = new EventStream(endless, connection, SLOW);
    const { done } = collect(stream);
    wire.close();
    await done;
    await stream.closed;
    expect(ends).toEqual(['left']);
  });
});

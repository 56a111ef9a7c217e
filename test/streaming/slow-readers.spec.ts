import type { Server, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { AuditTrail, RunFeed, type RunFrame } from 'nest-gatehouse';
import { call, eventsOf, says } from 'nest-gatehouse/testing';

import { asks, eventsIn, get, post, runIdOf, statusOf } from '../e2e/support/client.js';
import { openDesk, type Desk } from '../e2e/support/desk.app.js';
import { nobodyThere, thinks4ever } from '../e2e/support/visit.js';

/** What a stream may hold for a client that takes nothing, in characters: one read of the store, an event, and what a response buffers. */
const MOST_HELD = 384 * 1024;

describe('readers that are slow, silent or dead', () => {
  let desk: Desk;
  beforeAll(async () => (desk = await openDesk({ streaming: { onDisconnect: 'continue', heartbeat: 20 } })));
  afterAll(() => desk.close());

  /** Reads until so many comments have come behind an event of this type; answers the frames in between. */
  const heartbeats = async (response: Response, type: string, count: number) => {
    const behind = [];
    let seen = false;
    for await (const frame of eventsOf(response, 20_000)) {
      if (seen) behind.push(frame);
      seen ||= frame.data?.includes(`"${type}"`) === true;
      if (behind.length === count) return behind;
    }
    throw new Error(`The stream ended after ${behind.length} frames behind ${type}.`);
  };
  const BEATS = Array.from({ length: 5 }, () => ({ comment: 'alive' }));

  it('a client hears heartbeats while a tool runs: comments, which take no id of an event', async () => {
    const slowly = desk.tools.hold();
    desk.play([[call('slow', { order: 1 })], [says('done')]]);
    const response = await post(desk, 'runs', asks('go'));
    expect(await heartbeats(response, 'TOOL_CALL_END', 5)).toEqual(BEATS);
    slowly.open();
  });

  it('and while an approval waits', async () => {
    desk.play([[call('refund', { order: 1 })], [says('done')]]);
    const input = asks('go');
    await eventsIn(await post(desk, 'runs', input));
    const response = await get(desk, `runs/${await runIdOf(desk, input)}/events`);
    expect(await heartbeats(response, 'RUN_FINISHED', 5)).toEqual(BEATS);
  });

  it('a client that reads slowly but steadily gets an event that takes longer than a silence may last', async () => {
    desk.play([
      (run) => {
        run.emit({ type: 'text.start', messageId: 'm' });
        run.emit({ type: 'text.delta', messageId: 'm', delta: 'x'.repeat(30_000_000) });
        run.emit({ type: 'text.end', messageId: 'm' });
        return [says('done')];
      },
    ]);
    const response = await post(desk, 'runs', asks('go'));
    const since = performance.now();
    let characters = 0;
    let end = '';
    for await (const chunk of response.body ?? []) {
      characters += chunk.length;
      end = Buffer.from(chunk).subarray(-2_000).toString();
      await pause(1);
    }
    expect(characters).toBeGreaterThan(30_000_000);
    expect(end).toContain('"outcome":{"type":"success"}');
    // Longer than four heartbeats, after which one that takes nothing is dropped.
    expect(performance.now() - since).toBeGreaterThan(80);
  }, 60_000);

  it('a client that reads nothing is held little for, then cut, and can read everything later', async () => {
    const speech = Array.from({ length: 1_500 }, (_, at) => `${at} ${'x'.repeat(10_000)}`);
    desk.play([
      (run) => {
        for (const text of speech) {
          run.emit({ type: 'text.start', messageId: text.slice(0, 5) });
          run.emit({ type: 'text.delta', messageId: text.slice(0, 5), delta: text });
          run.emit({ type: 'text.end', messageId: text.slice(0, 5) });
        }
        return [says('done')];
      },
    ]);
    const told = counting(desk);
    const input = asks('go');
    const answering = new Promise<ServerResponse>((resolve) => {
      const server: Server = desk.app.getHttpServer();
      server.once('request', (_request, response: ServerResponse) => resolve(response));
    });
    const client = silent(desk, input);
    const response = await answering;
    const held = await mostHeld(response, told);
    expect(held).toBeLessThan(MOST_HELD);
    await nobodyThere(desk);
    client.destroy();
    const runId = await runIdOf(desk, input);
    const events = await eventsIn(await get(desk, `runs/${runId}/events`), { timeoutMs: 45_000 });
    expect(events.map(({ id }) => id)).toEqual(events.map((_, at) => at + 1));
    expect([await statusOf(desk, runId), events.at(-1)?.event['outcome']]).toEqual(['completed', { type: 'success' }]);
    // The client was really cut off, long before the end.
    expect(told.characters).toBeGreaterThan(speech.join('').length);
  }, 90_000);
});

describe('a connection that the server has stopped to read', () => {
  it('because answers pile up behind a stream: a client that leaves is found out by the next heartbeat', async () => {
    const desk = await openDesk({ streaming: { heartbeat: 30 } });
    try {
      desk.play([[says('done')]]);
      for (let run = 0; run < 30; run += 1) await eventsIn(await post(desk, 'runs', asks('go')));
      const server: Server = desk.app.getHttpServer();
      const joining = new Promise<Socket>((resolve) => server.once('connection', resolve));
      desk.play([thinks4ever]);
      const input = asks('go');
      const client = silent(desk, input).resume();
      const socket = await joining;
      const list = ['GET /agent/runs?limit=30 HTTP/1.1', 'host: localhost', 'x-user: ann', 'x-org: acme', '', ''];
      // It stops at the first request that comes when too much waits.
      while (!socket.isPaused()) {
        client.write(list.join('\r\n'));
        await get(desk, 'runs?limit=1');
      }
      const runId = await runIdOf(desk, input);
      client.destroy();
      const signal = AbortSignal.timeout(10_000);
      for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
      const { items } = await desk.get(AuditTrail).terminals({ runId });
      expect(items).toMatchObject([{ status: 'cancelled', source: 'client disconnected' }]);
    } finally {
      await desk.close();
    }
  }, 60_000);
});

/** How many characters the streams of a desk were handed. */
function counting(desk: Desk): { characters: number } {
  const feed = desk.get(RunFeed);
  const batches = feed.batches.bind(feed);
  const told = { characters: 0 };
  feed.batches = async function* (...asked): AsyncGenerator<readonly RunFrame[], void, void> {
    for await (const frames of batches(...asked)) {
      for (const { event } of frames) told.characters += JSON.stringify(event).length;
      yield frames;
    }
  };
  return told;
}

/** The most that was handed over and not taken by the socket, until the response is closed. */
async function mostHeld(response: ServerResponse, told: { readonly characters: number }): Promise<number> {
  let most = 0;
  let sent = 0;
  while (!response.closed) {
    const { socket } = response;
    if (socket !== null) sent = socket.bytesWritten - socket.writableLength;
    most = Math.max(most, told.characters - sent);
    await new Promise(setImmediate);
  }
  return most;
}

/** Posts, and never reads. */
function silent(desk: Desk, input: object): Socket {
  const { hostname, port } = new URL(desk.url);
  const body = JSON.stringify(input);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  const head = ['POST /agent/runs HTTP/1.1', `host: ${hostname}`, 'x-user: ann', 'x-org: acme'];
  head.push('content-type: application/json', `content-length: ${body.length}`, '', body);
  socket.pause().write(head.join('\r\n'));
  return socket;
}

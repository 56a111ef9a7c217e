import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsOf, readEvents } from './sse.client.js';

let server: Server | undefined;

const serving = async (answer: (response: ServerResponse) => void, type = 'text/event-stream'): Promise<Response> => {
  server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': type });
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
};

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('reading events', () => {
  it('to the end of the stream', async () => {
    const response = await serving((to) => void to.end('id: 1\ndata: a\n\nid: 2\ndata: ü\n\n'));
    expect(await readEvents(response)).toEqual([
      { id: '1', data: 'a' },
      { id: '2', data: 'ü' },
    ]);
  });

  it('until one is met closes the connection, although the stream goes on', async () => {
    let left: Promise<unknown> = Promise.resolve();
    const response = await serving((to) => {
      left = once(to, 'close');
      to.write('data: a\n\ndata: b\n\ndata: c\n\n');
    });
    expect(await readEvents(response, { until: ({ data }) => data === 'b' })).toEqual([{ data: 'a' }, { data: 'b' }]);
    await left;
  });

  it('fails when the time is up, and says what had arrived', async () => {
    const response = await serving((to) => void to.write('data: a\n\n'));
    await expect(readEvents(response, { until: ({ data }) => data === 'b', timeoutMs: 50 })).rejects.toThrow(
      'The stream did not end within 50 ms. 1 frames had arrived, the last: {"data":"a"}',
    );
  });

  it('fails when the stream ends before the awaited frame', async () => {
    const response = await serving((to) => void to.end('data: a\n\n'));
    await expect(readEvents(response, { until: () => false })).rejects.toThrow(
      'The stream ended before the awaited frame.',
    );
  });

  it('fails on an answer that is no event stream, and shows it', async () => {
    const response = await serving((to) => void to.end('{"title":"Not found"}'), 'application/problem+json');
    await expect(readEvents(response)).rejects.toThrow(
      'Expected an event stream, got 200 application/problem+json: {"title":"Not found"}',
    );
  });

  it('one by one leaves the connection with the loop', async () => {
    let left: Promise<unknown> = Promise.resolve();
    const response = await serving((to) => {
      left = once(to, 'close');
      to.write('data: a\n\n');
    });
    for await (const { data } of eventsOf(response)) {
      expect(data).toBe('a');
      break;
    }
    await left;
  });
});

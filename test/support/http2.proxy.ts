import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Speaks HTTP/2 to clients and HTTP/1.1 to the server behind it, as a load balancer does. A stream that a client resets closes its connection behind. */
export class Http2Proxy {
  private readonly sessions = new Set<ServerHttp2Session>();

  private constructor(
    private readonly server: Http2Server,
    readonly url: string,
  ) {}

  static async to(target: string): Promise<Http2Proxy> {
    const server = createServer();
    server.on('stream', (stream, headers) => forward(target, stream, headers));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new Http2Proxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('session', (session) => {
      proxy.sessions.add(session);
      session.once('close', () => proxy.sessions.delete(session));
    });
    return proxy;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** One client's session. */
export const http2Session = connect;

function forward(target: string, stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>): void {
  const plain = Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(':')));
  const upstream = request(`${target}${String(headers[':path'])}`, {
    method: String(headers[':method']),
    headers: plain as Record<string, string>,
    agent: false,
  });
  stream.on('close', () => upstream.destroy()).on('error', () => undefined);
  upstream.on('error', () => stream.destroy());
  upstream.on('response', (answer) => respond(stream, answer));
  stream.pipe(upstream);
}

/** Of one connection, not of the answer: HTTP/2 knows none of these. */
const HOP = new Set(['connection', 'keep-alive', 'transfer-encoding']);

function respond(stream: ServerHttp2Stream, answer: IncomingMessage): void {
  if (stream.destroyed) return;
  const kept = Object.entries(answer.headers).filter(([name]) => !HOP.has(name));
  stream.respond({ ':status': answer.statusCode, ...Object.fromEntries(kept) });
  pipeline(answer, stream, () => undefined);
}

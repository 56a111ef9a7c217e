import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect as connectSocket } from 'node:net';

import { http2Session } from '../../support/http2.proxy.js';
import { ANN, headersOf } from './client.js';
import { Heard } from './heard.js';

/** A client's line to the server, while it reads. */
export interface Line {
  readonly heard: Heard;
  /** The headers of the answer. */
  readonly head: Promise<Readonly<Record<string, unknown>>>;
  /** Breaks the connection, as a closed tab does. */
  leave(): void;
}

/** A way to post a body to `runs` and read the answer. */
export type Transport = (url: string, body: object) => Promise<Line>;

const HEADERS = { ...headersOf(ANN), 'content-type': 'application/json' };

function posted(url: string, body: object, options: RequestOptions): Line {
  const heard = new Heard();
  const asking = request(`${url}/agent/runs`, { method: 'POST', headers: HEADERS, ...options });
  const head = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    asking.once('response', (answer: IncomingMessage) => {
      resolve(answer.headers);
      answer.on('error', () => undefined).on('end', () => heard.end());
      answer.setEncoding('utf8').on('data', (text: string) => heard.add(text));
    });
  });
  asking.on('error', () => undefined).end(JSON.stringify(body));
  return { heard, head, leave: () => void asking.destroy() };
}

/** A connection of its own. */
export const alone: Transport = async (url, body) => posted(url, body, { agent: false });

/** A client that would take a compressed answer. */
export const compressed: Transport = async (url, body) =>
  posted(url, body, { agent: false, headers: { ...HEADERS, 'accept-encoding': 'gzip, deflate, br' } });

/** The second request of a connection that was kept alive; the first one asks for nothing that there is. */
export const keptAlive: Transport = async (url, body) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  await new Promise<void>((resolve) => {
    const first = request(`${url}/nothing-here`, { agent });
    first.once('response', (answer: IncomingMessage) => answer.resume().once('close', () => resolve()));
    first.on('error', () => undefined).end();
  });
  const line = posted(url, body, { agent });
  return { ...line, leave: () => (line.leave(), agent.destroy()) };
};

/** Asks for something else before the answer is there: the next answers wait behind it. */
export const pipelined: Transport = async (url, body) => {
  const { hostname, port, host } = new URL(url);
  const heard = new Heard();
  const socket = connectSocket(Number(port), hostname);
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...HEADERS, host }).map(([name, value]) => `${name}: ${value}`);
  const post = ['POST /agent/runs HTTP/1.1', ...lines, `content-length: ${Buffer.byteLength(text)}`, '', text].join(
    CRLF,
  );
  const list = ['GET /agent/runs?limit=1 HTTP/1.1', ...lines, '', ''].join(CRLF);
  socket.write(`${post}${list}${list}`);
  socket.setEncoding('utf8').on('data', (part: string) => heard.add(part));
  socket.on('error', () => undefined).on('close', () => heard.end());
  return { heard, head: Promise.resolve({}), leave: () => void socket.destroy() };
};

const CRLF = '\r\n';

/** HTTP/2 to a proxy. `url` is the proxy's. Leaving resets the stream; the session would go on. */
export const overHttp2: Transport = async (url, body) => {
  const session = http2Session(url);
  const heard = new Heard();
  const stream = session.request({ ':method': 'POST', ':path': '/agent/runs', ...HEADERS });
  const head = new Promise<Readonly<Record<string, unknown>>>((resolve) => stream.once('response', resolve));
  stream.setEncoding('utf8').on('data', (text: string) => heard.add(text));
  stream.on('error', () => undefined).on('end', () => heard.end());
  stream.once('close', () => session.close());
  stream.end(JSON.stringify(body));
  return { heard, head, leave: () => stream.close(CANCEL) };
};

/** The reset code of a client that cancels. */
const CANCEL = 8;

import { Agent, request, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect as connectSocket } from 'node:net';

import { http2Session } from '../../support/http2.proxy.js';
import { chatBody, userMessage } from './chat.js';
import { ANN, headersOf } from './client.js';
import { Heard } from './heard.js';

/** A moment of a run, as a client hears of it. */
export type Moment = 'started' | 'text' | 'call' | 'result' | 'finished';

type Words = Readonly<Record<Moment, string>>;

const AG_UI: Words = {
  started: 'RUN_STARTED',
  text: 'TEXT_MESSAGE_CONTENT',
  call: 'TOOL_CALL_END',
  result: 'TOOL_CALL_RESULT',
  finished: 'RUN_FINISHED',
};
const UI_MESSAGES: Words = {
  started: 'start',
  text: 'text-delta',
  call: 'tool-input-available',
  result: 'tool-output-available',
  finished: 'finish',
};

/** A client's line to the server, while it reads. */
export interface Line {
  readonly heard: Heard;
  /** Resolves once this was heard of, in the words of the line's protocol. */
  hears(moment: Moment): Promise<void>;
  /** The headers of the answer. */
  readonly head: Promise<Readonly<Record<string, unknown>>>;
  /** Breaks the connection, as a closed tab does. */
  leave(): void;
}

/** A way to ask for a run with a body in AG-UI form, and to read the answer. */
export type Transport = (url: string, body: Record<string, unknown>) => Promise<Line>;

const hearing =
  (heard: Heard, words: Words = AG_UI): Line['hears'] =>
  (moment) =>
    heard.type(words[moment]);

const HEADERS = { ...headersOf(ANN), 'content-type': 'application/json' };

function posted(url: string, body: object, options: RequestOptions, route = 'runs', words = AG_UI): Line {
  const heard = new Heard();
  const asking = request(`${url}/agent/${route}`, { method: 'POST', headers: HEADERS, ...options });
  const head = new Promise<Readonly<Record<string, unknown>>>((resolve) => {
    asking.once('response', (answer: IncomingMessage) => {
      resolve(answer.headers);
      answer.on('error', () => undefined).on('end', () => heard.end());
      answer.setEncoding('utf8').on('data', (text: string) => heard.add(text));
    });
  });
  asking.on('error', () => undefined).end(JSON.stringify(body));
  return { heard, hears: hearing(heard, words), head, leave: () => void asking.destroy() };
}

/** A connection of its own. */
export const alone: Transport = async (url, body) => posted(url, body, { agent: false });

/** A chat of the AI SDK, in the thread that the body names. */
export const chatting: Transport = async (url, { threadId }) =>
  posted(url, chatBody(String(threadId), [userMessage('go')]), { agent: false }, 'chat', UI_MESSAGES);

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
  return { heard, hears: hearing(heard), head: Promise.resolve({}), leave: () => void socket.destroy() };
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
  return { heard, hears: hearing(heard), head, leave: () => stream.close(CANCEL) };
};

/** The reset code of a client that cancels. */
const CANCEL = 8;

import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The body of a chat-completions request, as far as the tests look. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: unknown;
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: unknown };
  }[];
  readonly [setting: string]: unknown;
}

/** How the server answers one request. */
export type ChatAnswer = (response: ServerResponse) => void;

/** One chunk of the chat-completions stream, on the wire. */
const chunk = (delta: object, finishReason: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'loopback',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  })}\n\n`;

const usage = `data: ${JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'loopback',
  choices: [],
  usage: { prompt_tokens: 11, completion_tokens: 4, total_tokens: 15 },
})}\n\n`;

const head = (response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
};

/** A whole stream: the deltas, then why it ended, what it cost, and the end mark. */
export const streams =
  (deltas: readonly object[], finishReason: string): ChatAnswer =>
  (response) => {
    head(response);
    for (const delta of deltas) response.write(chunk(delta));
    response.end(`${chunk({}, finishReason)}${usage}data: [DONE]\n\n`);
  };

/** The deltas, and then nothing more; the connection stays open until somebody closes it. */
export const stalls =
  (deltas: readonly object[]): ChatAnswer =>
  (response) => {
    head(response);
    for (const delta of deltas) response.write(chunk(delta));
  };

/** The deltas, then an error in the stream, and nothing more; the connection stays open until somebody closes it. */
export const reportsAnError =
  (deltas: readonly object[]): ChatAnswer =>
  (response) => {
    stalls(deltas)(response);
    response.write(`data: ${JSON.stringify({ error: { message: 'secret-upstream is overloaded' } })}\n\n`);
  };

/** The deltas, and then the socket is gone. */
export const breaks =
  (deltas: readonly object[]): ChatAnswer =>
  (response) => {
    head(response);
    for (const delta of deltas) response.write(chunk(delta));
    // The deltas must have left before the reset, or there is nothing that could break.
    response.write(': about to break\n\n', () => setImmediate(() => response.destroy()));
  };

/** The deltas, and then an orderly end without a finish reason. */
export const endsEarly =
  (deltas: readonly object[]): ChatAnswer =>
  (response) => {
    head(response);
    response.end(deltas.map((delta) => chunk(delta)).join(''));
  };

/** A refused request. */
export const refuses =
  (status: number, headers: Readonly<Record<string, string>> = {}): ChatAnswer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message: `secret-upstream says ${status}`, type: 'upstream' } }));
  };

/** Text as chat completions stream it. */
export const words = (...deltas: readonly string[]): object[] => deltas.map((content) => ({ content }));

/** The start of a call as chat completions stream it. */
export const starts = (index: number, id: string, name: string): object => ({
  tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
});

/** A piece of a call's arguments. */
export const continues = (index: number, piece: string): object => ({
  tool_calls: [{ index, function: { arguments: piece } }],
});

/** A loopback server that speaks the chat-completions wire format: one answer for each request, in order. */
export class ChatServer {
  readonly requests: ChatRequest[] = [];
  /** Settles once the client has closed the connection of an unfinished answer. */
  readonly left: Promise<void>;
  private leave: () => void = () => undefined;
  private readonly server: Server;

  constructor(private readonly answers: readonly ChatAnswer[]) {
    this.left = new Promise((resolve) => {
      this.leave = resolve;
    });
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    this.requests.push(JSON.parse(Buffer.concat(pieces).toString('utf8')) as ChatRequest);
    response.on('close', () => {
      if (!response.writableFinished) this.leave();
    });
    const answer = this.answers[this.requests.length - 1] ?? refuses(400);
    answer(response);
  }
}

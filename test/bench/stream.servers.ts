import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Controller, HttpCode, Module, RequestMethod, Sse, type MessageEvent } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { from, map, type Observable } from 'rxjs';

import type { Stage } from './stream.speech.js';

/** Something that streams. */
export interface StreamServer {
  readonly url: string;
  close(): Promise<unknown>;
}

/** `node:http` and nothing else: each frame as it is, at the pace of the deltas. */
export async function bareServer(stage: Stage, frames: readonly string[]): Promise<StreamServer> {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    const speak = async (): Promise<void> => {
      const rest = frames.values();
      for await (const _ of stage.deltas()) response.write(rest.next().value ?? '');
      for (const frame of rest) response.write(frame);
      response.end();
    };
    void speak();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => server.close().closeAllConnections(),
  };
}

/** Plain `@Sse()` with one event for each delta. */
export async function sseServer(stage: Stage): Promise<StreamServer> {
  @Controller()
  class Plain {
    @HttpCode(200)
    @Sse('/', { method: RequestMethod.POST })
    speak(): Observable<MessageEvent> {
      const event = (delta: string) => ({ data: { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta } });
      return from(stage.deltas()).pipe(map(event));
    }
  }
  @Module({ controllers: [Plain] })
  class PlainModule {}
  const app = await NestFactory.create(PlainModule, { logger: false, forceCloseConnections: true });
  await app.listen(0, '127.0.0.1');
  return { url: await app.getUrl(), close: () => app.close() };
}

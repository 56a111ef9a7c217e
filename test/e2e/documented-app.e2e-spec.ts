import { readFile } from 'node:fs/promises';

import {
  Controller,
  Injectable,
  Logger,
  Module,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  AccessPolicy,
  Agent,
  ApprovalController,
  ChatController,
  GatehouseModule,
  ProblemFilter,
  RunController,
} from 'nest-gatehouse';
import { says, scriptedExecutor } from 'nest-gatehouse/testing';

import { chatBody, chunksIn, chunkTypes, userMessage } from './support/chat.js';
import { fresh, problemIn } from './support/client.js';

@Injectable()
class JwtGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<{ user?: object }>().user = { id: 'ann', organizationId: 'acme', roles: [] };
    return true;
  }
}

@Injectable()
class MyAccessPolicy extends AccessPolicy {
  override can(): boolean {
    return true;
  }
}

@Agent({ name: 'support' })
class SupportAgent {
  execute = scriptedExecutor(Array.from({ length: 9 }, () => [says('Heard.')])).execute;
}

@UseGuards(JwtGuard)
@Controller('agent')
class Runs extends RunController {}

@UseGuards(JwtGuard)
@Controller('agent')
class Chat extends ChatController {}

@UseGuards(JwtGuard)
@Controller('agent')
class Approvals extends ApprovalController {}

@Module({
  imports: [GatehouseModule.forRoot({ guard: { enabled: true } })],
  providers: [SupportAgent, { provide: AccessPolicy, useClass: MyAccessPolicy }],
  controllers: [Runs, Chat, Approvals],
})
class AppModule {}

const README = new URL('../../README.md', import.meta.url);
type Main = (...inScope: unknown[]) => Promise<NestExpressApplication>;

/** Runs `main.ts` as the README prints it, but for the port. */
async function documentedApp(): Promise<NestExpressApplication> {
  const [, main = ''] = /^And `main.ts`:\n\n```ts\n(.*?)^```$/ms.exec(await readFile(README, 'utf8')) ?? [];
  const script = main.replace('<NestExpressApplication>', '').replace('listen(3000)', "listen(0, '127.0.0.1')");
  const AsyncFunction = Object.getPrototypeOf(documentedApp).constructor as new (...source: string[]) => Main;
  const start = new AsyncFunction('NestFactory', 'AppModule', 'ProblemFilter', `${script}\nreturn app;`);
  return start(NestFactory, AppModule, ProblemFilter);
}

const MEGABYTE = 1024 * 1024;

describe('an application made as the README says', () => {
  let app: NestExpressApplication;
  let url: string;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    app = await documentedApp();
    url = await app.getUrl();
  });
  afterAll(() => app.close());

  const send = (path: string, body: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  /** What `useChat` posts in a long chat, of exactly this many bytes. */
  const history = (bytes: number): string => {
    const body = (said: string): string =>
      JSON.stringify(
        chatBody(fresh('chat'), [userMessage('go'), { ...userMessage(said), role: 'assistant' }, userMessage('and?')]),
      );
    return body('x'.repeat(bytes - body('').length));
  };

  it.each([0.12, 3.9])('takes a chat of %d MB', async (size) => {
    const response = await send('chat', history(Math.round(size * MEGABYTE)));
    expect(chunkTypes(await chunksIn(response)).at(-1)).toBe('finish');
  });

  it.each([
    ['one of 4.1 MB', history(Math.round(4.1 * MEGABYTE)), {}, '413 payload_too_large'],
    ['a body that is no JSON', '{"secret":', {}, '400 bad_request'],
    ['a form', 'id=1', { 'content-type': 'application/x-www-form-urlencoded' }, '415 unsupported_media_type'],
    ['text', '{}', { 'content-type': 'text/plain' }, '415 unsupported_media_type'],
    ['what a page of another site sends', '{}', { 'sec-fetch-site': 'cross-site' }, '403 cross_site'],
  ])('refuses %s on every route that changes something, as problem details', async (_what, body, headers, expected) => {
    for (const path of ['chat', 'runs', 'agents/support/runs', 'runs/1/cancel', 'approvals/1/decision']) {
      const response = await send(path, body, headers);
      const told = await response.clone().text();
      expect([path, await problemIn(response), told.includes('secret')]).toEqual([path, expected, false]);
    }
  });
});

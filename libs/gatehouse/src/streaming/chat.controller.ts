import type { ServerResponse } from 'node:http';

import {
  Body,
  HttpCode,
  Inject,
  Param,
  Req,
  RequestMethod,
  Res,
  Sse,
  UseFilters,
  UseGuards,
  type MessageEvent,
} from '@nestjs/common';
import { EMPTY, type Observable } from 'rxjs';

import type { Principal } from '../contracts/principal.js';
import { newId } from '../values/ids.js';
import { isOwn, runOwner } from './access.js';
import { activeSegment, type ActiveSegment } from './ai-sdk/active.segment.js';
import { ChatInputReader } from './ai-sdk/chat.input.reader.js';
import { UI_STREAM, UI_STREAM_HEADER } from './ai-sdk/ui.stream.protocol.js';
import { ClientConnection } from './client.connection.js';
import { Disconnects } from './disconnects.js';
import type { RunEntry } from './entry/run.entry.js';
import { RunResumer } from './entry/run.resumer.js';
import { RunStarter } from './entry/run.starter.js';
import { isWireId } from './http/fields.js';
import { RUN_ID_HEADER, type HttpRequest } from './http/http.request.js';
import { MountedController } from './http/mounted.controller.js';
import { NothingActive, NothingActiveFilter } from './http/nothing.active.js';
import { principalOf } from './http/principal.js';
import { given } from './http/query.js';
import { StateChangeGuard } from './http/state-change.guard.js';
import { RunStreams } from './run.streams.js';

/**
 * Runs of the default agent for the AI SDK's `useChat`: its `DefaultChatTransport` in, a UI message stream out. Subclass it under your own path and
 * guards; needs an `AccessPolicy`.
 *
 * @example
 * ```ts
 * @UseGuards(JwtGuard)
 * @Controller('agent')
 * class Chat extends ChatController {}
 * // In the browser: useChat({ transport: new DefaultChatTransport({ api: '/agent/chat' }) })
 * ```
 */
export abstract class ChatController extends MountedController {
  @Inject(RunStarter) private readonly starter!: RunStarter;
  @Inject(RunResumer) private readonly resumer!: RunResumer;
  @Inject(RunStreams) private readonly streams!: RunStreams;
  @Inject(Disconnects) private readonly disconnects!: Disconnects;
  @Inject(ChatInputReader) private readonly inputs!: ChatInputReader;

  /** `{ id, messages, trigger, messageId? }`: a new message, another answer to the last one, or what is said to approvals. */
  @UseGuards(StateChangeGuard)
  @HttpCode(200)
  @Sse('chat', { method: RequestMethod.POST })
  async send(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Body() body: unknown,
  ): Promise<Observable<MessageEvent>> {
    // First of all, and without an await before it: a client can leave at any moment.
    const connection = new ClientConnection(response);
    const principal = principalOf(request);
    const input = this.inputs.read(body);
    const entry: RunEntry = {
      ...given({ ipAddress: request.ip }),
      protocol: UI_STREAM,
      access: this.access,
      principal,
      connection,
      input: { ...input, segment: newId() },
      announce: (runId) => void response.setHeader(RUN_ID_HEADER, runId),
    };
    const events = await (input.answers.length > 0 ? this.resumer.resume(entry) : this.starter.start(entry));
    response.setHeader(...UI_STREAM_HEADER);
    return events;
  }

  /** The message under way, from its beginning; 204 where there is none that the caller may see. */
  @UseFilters(NothingActiveFilter)
  @Sse('chat/:id/stream')
  async attach(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Param('id') id: string,
  ): Promise<Observable<MessageEvent>> {
    // First of all, and without an await before it: a client can leave at any moment.
    const connection = new ClientConnection(response);
    const principal = principalOf(request);
    const { run, firstSeq } = await this.readable(principal, id);
    if (connection.gone) return EMPTY;
    const owned = request.method === 'GET' && isOwn(principal, runOwner(run));
    await this.disconnects.watch({ runId: run.id, connection, owned });
    response.setHeader(RUN_ID_HEADER, run.id);
    response.setHeader(...UI_STREAM_HEADER);
    const wire = { runId: run.id, threadId: run.threadId };
    // Clients read what they get here as the whole message, not only as its latest segment.
    return this.streams.open({
      run: wire,
      protocol: UI_STREAM,
      connection,
      from: firstSeq - 1,
      after: 0,
      until: 'segment',
    });
  }

  private async readable(principal: Principal, threadId: string): Promise<ActiveSegment> {
    const active = isWireId(threadId) ? await activeSegment(this.reader, threadId) : undefined;
    if (active === undefined || !(await this.access.run(principal, 'run.read', active.run))) throw new NothingActive();
    return active;
  }
}

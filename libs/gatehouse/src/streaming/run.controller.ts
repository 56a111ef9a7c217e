import type { ServerResponse } from 'node:http';

import {
  Body,
  Get,
  Headers,
  HttpCode,
  Inject,
  Param,
  Post,
  Query,
  Req,
  RequestMethod,
  Res,
  Sse,
  UseFilters,
  UseGuards,
  type MessageEvent,
} from '@nestjs/common';
import { EMPTY, type Observable } from 'rxjs';

import { AuditTrail } from '../audit/audit.trail.js';
import type { TimelineEntry } from '../contracts/ports/evidence.store.js';
import type { Page } from '../contracts/page.js';
import type { RunStatus } from '../contracts/statuses.js';
import { AgentRunner } from '../runs/agent.runner.js';
import { isOwn, ownerOf, runOwner } from './access.js';
import { AG_UI } from './ag-ui/ag-ui.protocol.js';
import { decisionOf } from './ag-ui/resume.decision.js';
import { resultOf } from './ag-ui/resume.result.js';
import { RunInputReader } from './ag-ui/run.input.reader.js';
import { ClientConnection } from './client.connection.js';
import { Disconnects } from './disconnects.js';
import type { RunEntry } from './entry/run.entry.js';
import { RunResumer } from './entry/run.resumer.js';
import { RunStarter } from './entry/run.starter.js';
import { bodyOf, optionalText } from './http/fields.js';
import { RUN_ID_HEADER, type HttpRequest } from './http/http.request.js';
import { lastEventId } from './http/last-event-id.js';
import { MountedController } from './http/mounted.controller.js';
import { NothingActiveFilter } from './http/nothing.active.js';
import { principalOf } from './http/principal.js';
import { given, QueryReader, type Query as QueryParameters } from './http/query.js';
import { readablePage } from './http/readable.page.js';
import { StateChangeGuard } from './http/state-change.guard.js';
import { positionIn } from './reattachment.js';
import { findRun } from './run.lookup.js';
import { RUN_STATUSES } from './http/statuses.js';
import { RunStreams } from './run.streams.js';
import { timelineView } from './views/timeline.view.js';
import { runView, type RunView } from './views/run.view.js';

const LONGEST_REASON = 500;

/** One run and what happened in it, in order. */
export type RunDetail = RunView & { readonly timeline: readonly TimelineEntry[] };

/**
 * Runs over HTTP: AG-UI in, server-sent events out; attach again, cancel, list. Subclass it under your own path and guards; needs an `AccessPolicy`.
 *
 * @example
 * ```ts
 * @UseGuards(JwtGuard)
 * @Controller('agent')
 * class Runs extends RunController {}
 * ```
 */
export abstract class RunController extends MountedController {
  @Inject(RunStarter) private readonly starter!: RunStarter;
  @Inject(RunResumer) private readonly resumer!: RunResumer;
  @Inject(RunStreams) private readonly streams!: RunStreams;
  @Inject(Disconnects) private readonly disconnects!: Disconnects;
  @Inject(RunInputReader) private readonly inputs!: RunInputReader;
  @Inject(AgentRunner) private readonly runner!: AgentRunner;
  @Inject(AuditTrail) private readonly evidence!: AuditTrail;

  /** `RunAgentInput` for the default agent. */
  @UseGuards(StateChangeGuard)
  @HttpCode(200)
  @Sse('runs', { method: RequestMethod.POST })
  startDefault(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Body() body: unknown,
  ): Promise<Observable<MessageEvent>> {
    return this.enter(request, response, body);
  }

  /** `RunAgentInput` for one agent. */
  @UseGuards(StateChangeGuard)
  @HttpCode(200)
  @Sse('agents/:agent/runs', { method: RequestMethod.POST })
  startNamed(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Body() body: unknown,
    @Param('agent') agent: string,
  ): Promise<Observable<MessageEvent>> {
    return this.enter(request, response, body, agent);
  }

  /** A run's events from the beginning, or after `Last-Event-ID`, then live. A client's own `runId` gives that segment alone. 204 where the client has everything. */
  @UseFilters(NothingActiveFilter)
  @Sse('runs/:id/events')
  async attach(
    @Req() request: HttpRequest,
    @Res({ passthrough: true }) response: ServerResponse,
    @Param('id') id: string,
    @Headers('last-event-id') header: string | undefined,
    @Query('lastEventId') parameter: unknown,
  ): Promise<Observable<MessageEvent>> {
    // First of all, and without an await before it: a client can leave at any moment.
    const connection = new ClientConnection(response);
    const principal = principalOf(request);
    const found = await findRun(this.reader, this.access, principal, 'run.read', id);
    const { run } = found;
    const position = await positionIn(this.reader, found, lastEventId(header, parameter));
    if (connection.gone) return EMPTY;
    const owned = request.method === 'GET' && isOwn(principal, runOwner(run));
    await this.disconnects.watch({ runId: run.id, connection, owned });
    response.setHeader(RUN_ID_HEADER, run.id);
    const wire = { runId: run.id, threadId: run.threadId };
    return this.streams.open({ run: wire, protocol: AG_UI, connection, ...position });
  }

  /** Idempotent; answers the status that stands. */
  @UseGuards(StateChangeGuard)
  @HttpCode(200)
  @Post('runs/:id/cancel')
  async cancel(
    @Req() request: HttpRequest,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<{ readonly runId: string; readonly status: RunStatus }> {
    const principal = principalOf(request);
    const reason = optionalText(bodyOf(body ?? {})['reason'], 'reason', LONGEST_REASON);
    const { run } = await findRun(this.reader, this.access, principal, 'run.cancel', id);
    return { runId: run.id, status: await this.runner.cancel(run.id, reason) };
  }

  /** The caller's own runs, newest first; with `organizationId`, those of that organization which the caller may read. */
  @Get('runs')
  async list(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<RunView>> {
    const principal = principalOf(request);
    const filter = new QueryReader(query).only('threadId', 'status', 'agent', 'organizationId', 'limit', 'cursor');
    const organizationId = filter.text('organizationId');
    const named = given({
      threadId: filter.text('threadId'),
      status: filter.oneOf('status', RUN_STATUSES),
      agent: filter.text('agent'),
    });
    const whose = organizationId === undefined ? { owner: ownerOf(principal) } : { organizationId };
    const page = await readablePage(
      filter.page(),
      (part) => this.reader.runs({ ...named, ...whose, ...part }),
      (run) => this.access.run(principal, 'run.read', run),
    );
    return { items: page.items.map(runView), nextCursor: page.nextCursor };
  }

  /** One run with its timeline. What an error said is in it only for those who may read the audit. */
  @Get('runs/:id')
  async read(@Req() request: HttpRequest, @Param('id') id: string): Promise<RunDetail> {
    const principal = principalOf(request);
    const { run } = await findRun(this.reader, this.access, principal, 'run.read', id);
    const about = { runId: run.id, threadId: run.threadId, ...runOwner(run) };
    const audits = await this.access.allows(principal, 'audit.read', about);
    return { ...runView(run), timeline: timelineView(await this.evidence.timeline(run.id), audits) };
  }

  private async enter(
    request: HttpRequest,
    response: ServerResponse,
    body: unknown,
    agent?: string,
  ): Promise<Observable<MessageEvent>> {
    // First of all, and without an await before it: a client can leave at any moment.
    const connection = new ClientConnection(response);
    const principal = principalOf(request);
    const { resume, ...input } = this.inputs.read(body);
    const answers = resume.map(decisionOf);
    const results = resume.flatMap((entry) => resultOf(entry) ?? []);
    const announce = (runId: string): void => void response.setHeader(RUN_ID_HEADER, runId);
    const entry: RunEntry = {
      ...given({ agent, ipAddress: request.ip }),
      protocol: AG_UI,
      access: this.access,
      principal,
      connection,
      input: { ...input, answers, results },
      announce,
    };
    return answers.length > 0 ? this.resumer.resume(entry) : this.starter.start(entry);
  }
}

import { Get, Inject, Param, Query, Req, type StreamableFile } from '@nestjs/common';

import { viewApproval } from '../approvals/approval.view.js';
import { AuditTrail } from '../audit/audit.trail.js';
import { EXPORT_FORMATS } from '../audit/export/export.format.js';
import { ReadingRecords } from '../audit/reading.records.js';
import type { VerifyReport } from '../audit/verify/verify.report.js';
import type { ApprovalRequest } from '../contracts/approval.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import type { Page } from '../contracts/page.js';
import type { AccessResource } from '../contracts/ports/access.policy.js';
import type { EvidenceQuery, TerminalEntry, TimelineEntry } from '../contracts/ports/evidence.store.js';
import type { Principal } from '../contracts/principal.js';
import { isUuid } from '../values/ids.js';
import { evidenceFile } from './http/evidence.file.js';
import type { HttpRequest } from './http/http.request.js';
import { MountedController } from './http/mounted.controller.js';
import { principalOf } from './http/principal.js';
import { notFound, ProblemError } from './http/problem.error.js';
import { given, QueryReader, type Query as QueryParameters } from './http/query.js';
import { readablePage } from './http/readable.page.js';
import { APPROVAL_STATUSES, DECIDERS, OPERATION_STATUSES, TERMINAL_STATUSES } from './http/statuses.js';

const ABOUT = ['runId', 'threadId', 'organizationId', 'principalId', 'from', 'until'] as const;
const COMMON = [...ABOUT, 'limit', 'cursor'] as const;

/**
 * The evidence over HTTP. The policy's `audit.read` alone opens it; owning a thread never does. Subclass it under your own path and guards.
 *
 * @example
 * ```ts
 * @UseGuards(JwtGuard)
 * @Controller('agent')
 * class Audit extends AuditController {}
 * ```
 */
export abstract class AuditController extends MountedController {
  @Inject(AuditTrail) private readonly evidence!: AuditTrail;
  @Inject(ReadingRecords) private readonly readings!: ReadingRecords;

  /** What was executed. */
  @Get('audit/executions')
  async executions(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<AuditEvent>> {
    const filter = new QueryReader(query).only(
      ...COMMON,
      'toolName',
      'kind',
      'success',
      'operationId',
      'targetType',
      'targetId',
    );
    const own = given({
      toolName: filter.text('toolName'),
      kind: filter.oneOf('kind', ['tool', 'run'] as const),
      success: filter.flag('success'),
      operationId: filter.text('operationId'),
      targetType: filter.text('targetType'),
      targetId: filter.text('targetId'),
    });
    return this.page('executions', request, filter, (asked) => this.evidence.executions({ ...asked, ...own }));
  }

  /** What was proposed, and what became of it. */
  @Get('audit/operations')
  async operations(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<OperationRecord>> {
    const filter = new QueryReader(query).only(...COMMON, 'toolName', 'status', 'decidedBy');
    const own = given({
      toolName: filter.text('toolName'),
      status: filter.oneOf('status', OPERATION_STATUSES),
      decidedBy: filter.oneOf('decidedBy', DECIDERS),
    });
    return this.page('operations', request, filter, (asked) => this.evidence.operations({ ...asked, ...own }));
  }

  /** Who was asked, and who decided. */
  @Get('audit/approvals')
  async approvals(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<ApprovalRequest>> {
    const filter = new QueryReader(query).only(...COMMON, 'toolName', 'status', 'approver');
    const own = given({
      toolName: filter.text('toolName'),
      status: filter.oneOf('status', APPROVAL_STATUSES),
      approver: filter.text('approver'),
    });
    const page = await this.page('approvals', request, filter, (asked) =>
      this.evidence.approvals({ ...asked, ...own }),
    );
    return { items: page.items.map(viewApproval), nextCursor: page.nextCursor };
  }

  /** How runs ended. */
  @Get('audit/terminals')
  async terminals(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<TerminalEntry>> {
    const filter = new QueryReader(query).only(...COMMON, 'status', 'agent');
    const own = given({ status: filter.oneOf('status', TERMINAL_STATUSES), agent: filter.text('agent') });
    return this.page('terminals', request, filter, (asked) => this.evidence.terminals({ ...asked, ...own }));
  }

  /** One run from start to end. */
  @Get('audit/timeline/:runId')
  async timeline(
    @Req() request: HttpRequest,
    @Param('runId') runId: string,
  ): Promise<{ readonly items: readonly TimelineEntry[] }> {
    const run = isUuid(runId) ? await this.reader.run(runId) : undefined;
    if (run === undefined) throw notFound('audit');
    await this.permit(principalOf(request), {
      runId,
      threadId: run.threadId,
      ...given({ organizationId: run.organizationId }),
    });
    const items = await this.evidence.timeline(runId);
    this.readings.tell({
      by: principalOf(request).id,
      organizationId: run.organizationId,
      runId,
      what: 'timeline',
      amount: items.length,
    });
    return { items };
  }

  /** Sealed records of every kind, as a file: the policy's `audit.export`. That it was exported, and by whom, is recorded first. */
  @Get('audit/export')
  async export(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<StreamableFile> {
    const asked = new QueryReader(query).only(...ABOUT, 'toolName', 'format');
    const principal = principalOf(request);
    const format = asked.oneOf('format', ['ndjson', 'csv', 'ocsf'] as const) ?? 'ndjson';
    const organizationId = asked.text('organizationId') ?? principal.organizationId;
    const about = given({
      organizationId,
      runId: asked.text('runId'),
      threadId: asked.text('threadId'),
      principalId: asked.text('principalId'),
      toolName: asked.text('toolName'),
    });
    const between = given({ from: asked.instant('from'), until: asked.instant('until') });
    if (!(await this.access.allows(principal, 'audit.export', about))) throw notFound('audit');
    // Nobody named an organization: only records of none.
    const which = { ...about, ...between, organizationId: organizationId ?? null, by: principal.id };
    const { mediaType, extension } = EXPORT_FORMATS[format];
    return evidenceFile(this.evidence.export(which, format), mediaType, `evidence.${extension}`);
  }

  /** Verifies what is stored, of all organizations: the policy's `audit.verify`. One at a time; 429 while another one runs. */
  @Get('audit/verify')
  async verify(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<VerifyReport> {
    const asked = new QueryReader(query).only('level', 'from', 'until');
    const options = given({
      level: asked.oneOf('level', ['checkpoints', 'batches', 'rows', 'payloads'] as const),
      from: asked.instant('from'),
      until: asked.instant('until'),
    });
    if (!(await this.access.allows(principalOf(request), 'audit.verify', {}))) throw notFound('audit');
    try {
      return (await this.evidence.verify(options)).report;
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      throw new ProblemError(
        503,
        'not_sealed',
        'This application cannot verify: it has no sealed evidence, or no key to verify it with.',
      );
    }
  }

  private async page<T extends { readonly organizationId?: string | null }>(
    what: string,
    request: HttpRequest,
    filter: QueryReader,
    read: (query: EvidenceQuery) => Promise<Page<T>>,
  ): Promise<Page<T>> {
    const principal = principalOf(request);
    const organizationId = filter.text('organizationId') ?? principal.organizationId;
    const about = given({
      organizationId,
      runId: filter.text('runId'),
      threadId: filter.text('threadId'),
      principalId: filter.text('principalId'),
    });
    const asked = { ...about, ...given({ from: filter.instant('from'), until: filter.instant('until') }) };
    const page = filter.page();
    await this.permit(principal, about);
    // Without an organization a query would match every one: nobody named any of them, so only records of none are shown.
    const shown = await readablePage(
      page,
      (part) => read({ ...asked, ...part }),
      (record) => (record.organizationId ?? undefined) === organizationId,
    );
    this.readings.tell({ by: principal.id, organizationId, runId: about.runId, what, amount: shown.items.length });
    return shown;
  }

  private async permit(principal: Principal, resource: AccessResource): Promise<void> {
    if (!(await this.access.allows(principal, 'audit.read', resource))) throw notFound('audit');
  }
}

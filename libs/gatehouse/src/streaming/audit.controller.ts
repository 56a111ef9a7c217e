import { Get, Inject, Param, Query, Req } from '@nestjs/common';

import { viewApproval } from '../approvals/approval.view.js';
import { AuditTrail } from '../audit/audit.trail.js';
import type { ApprovalRequest } from '../contracts/approval.js';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import type { Page } from '../contracts/page.js';
import type { AccessResource } from '../contracts/ports/access.policy.js';
import type { EvidenceQuery, TerminalEntry, TimelineEntry } from '../contracts/ports/evidence.store.js';
import type { Principal } from '../contracts/principal.js';
import { isUuid } from '../values/ids.js';
import type { HttpRequest } from './http/http.request.js';
import { MountedController } from './http/mounted.controller.js';
import { principalOf } from './http/principal.js';
import { notFound } from './http/problem.error.js';
import { given, QueryReader, type Query as QueryParameters } from './http/query.js';
import { readablePage } from './http/readable.page.js';
import { APPROVAL_STATUSES, DECIDERS, OPERATION_STATUSES, TERMINAL_STATUSES } from './http/statuses.js';

const COMMON = ['runId', 'threadId', 'organizationId', 'principalId', 'from', 'until', 'limit', 'cursor'] as const;

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
    return this.page(request, filter, (asked) => this.evidence.executions({ ...asked, ...own }));
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
    return this.page(request, filter, (asked) => this.evidence.operations({ ...asked, ...own }));
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
    const page = await this.page(request, filter, (asked) => this.evidence.approvals({ ...asked, ...own }));
    return { items: page.items.map(viewApproval), nextCursor: page.nextCursor };
  }

  /** How runs ended. */
  @Get('audit/terminals')
  async terminals(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<TerminalEntry>> {
    const filter = new QueryReader(query).only(...COMMON, 'status', 'agent');
    const own = given({ status: filter.oneOf('status', TERMINAL_STATUSES), agent: filter.text('agent') });
    return this.page(request, filter, (asked) => this.evidence.terminals({ ...asked, ...own }));
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
    return { items: await this.evidence.timeline(runId) };
  }

  private async page<T extends { readonly organizationId?: string | null }>(
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
    return readablePage(
      page,
      (part) => read({ ...asked, ...part }),
      (record) => (record.organizationId ?? undefined) === organizationId,
    );
  }

  private async permit(principal: Principal, resource: AccessResource): Promise<void> {
    if (!(await this.access.allows(principal, 'audit.read', resource))) throw notFound('audit');
  }
}

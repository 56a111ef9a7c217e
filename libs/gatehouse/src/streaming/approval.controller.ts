import { Body, Get, HttpCode, Inject, Param, Post, Query, Req, UseGuards } from '@nestjs/common';

import { ApprovalService } from '../approvals/approval.service.js';
import { viewApproval } from '../approvals/approval.view.js';
import type { ApprovalAnswer, ApprovalRequest } from '../contracts/approval.js';
import type { JsonObject } from '../contracts/json.js';
import type { Page } from '../contracts/page.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { Principal } from '../contracts/principal.js';
import { isUuid } from '../values/ids.js';
import { bodyOf, isObject, optionalText } from './http/fields.js';
import type { HttpRequest } from './http/http.request.js';
import { MountedController } from './http/mounted.controller.js';
import { principalOf } from './http/principal.js';
import { badField, notFound } from './http/problem.error.js';
import { given, QueryReader, type Query as QueryParameters } from './http/query.js';
import { readablePage } from './http/readable.page.js';
import { StateChangeGuard } from './http/state-change.guard.js';
import { APPROVAL_STATUSES } from './http/statuses.js';

const LONGEST_TEXT = 4_000;
const LONGEST_DIGEST = 128;

/**
 * The inbox over HTTP: what waits for a person, and that person's word. Subclass it under your own path and guards; needs an `AccessPolicy`.
 *
 * @example
 * ```ts
 * @UseGuards(JwtGuard)
 * @Controller('agent')
 * class Approvals extends ApprovalController {}
 * ```
 */
export abstract class ApprovalController extends MountedController {
  @Inject(ApprovalService) private readonly approvals!: ApprovalService;

  /** Approvals that the caller may read, newest first. Those of the caller's own organization, unless another one is named. */
  @Get('approvals')
  async list(@Req() request: HttpRequest, @Query() query: QueryParameters): Promise<Page<ApprovalRequest>> {
    const principal = principalOf(request);
    const filter = new QueryReader(query).only(
      'runId',
      'threadId',
      'toolName',
      'status',
      'organizationId',
      'requestedBy',
      'limit',
      'cursor',
    );
    const filters = given({
      runId: filter.text('runId'),
      threadId: filter.text('threadId'),
      toolName: filter.text('toolName'),
      status: filter.oneOf('status', APPROVAL_STATUSES),
      organizationId: filter.text('organizationId') ?? principal.organizationId,
      requestedBy: filter.text('requestedBy'),
    });
    const page = await readablePage(
      filter.page(),
      (part) => this.reader.approvals({ ...filters, ...part }),
      (approval) => this.access.approval(principal, 'approval.read', approval),
    );
    return { items: page.items.map(viewApproval), nextCursor: page.nextCursor };
  }

  @Get('approvals/:id')
  async read(@Req() request: HttpRequest, @Param('id') id: string): Promise<ApprovalRequest> {
    return viewApproval(await this.readable(principalOf(request), id));
  }

  /** `{ approved, argumentsDigest, reason?, note?, editedArgs? }`. The same word twice is one; another is a conflict. */
  @UseGuards(StateChangeGuard)
  @HttpCode(200)
  @Post('approvals/:id/decision')
  async decide(@Req() request: HttpRequest, @Param('id') id: string, @Body() body: unknown): Promise<ApprovalRequest> {
    const by = principalOf(request);
    const answer = readAnswer(bodyOf(body), by);
    const approval = await this.decidable(by, id);
    if (!(await this.access.approval(by, 'approval.decide', approval)))
      return this.approvals.refuse(id, by, 'the access policy says no');
    return this.approvals.decide(id, answer);
  }

  private async readable(principal: Principal, id: string): Promise<StoredApproval> {
    const approval = await this.found(id);
    if (!(await this.access.approval(principal, 'approval.read', approval))) throw notFound('approval');
    return approval;
  }

  /** They are told that there is none; the evidence is told that they tried. */
  private async decidable(principal: Principal, id: string): Promise<StoredApproval> {
    const approval = await this.found(id);
    if (await this.access.approval(principal, 'approval.read', approval)) return approval;
    await this.approvals.noteAttempt(approval, principal, 'the access policy does not let them read it');
    throw notFound('approval');
  }

  private async found(id: string): Promise<StoredApproval> {
    const approval = isUuid(id) ? await this.reader.approval(id) : undefined;
    if (approval === undefined) throw notFound('approval');
    return approval;
  }
}

function readAnswer(body: JsonObject, by: Principal): ApprovalAnswer {
  const { approved, argumentsDigest, editedArgs } = body;
  if (typeof approved !== 'boolean') throw badField('approved', 'must be true or false');
  if (typeof argumentsDigest !== 'string' || argumentsDigest === '' || argumentsDigest.length > LONGEST_DIGEST) {
    throw badField('argumentsDigest', 'must be the digest of the arguments that were shown');
  }
  if (editedArgs !== undefined && !isObject(editedArgs)) throw badField('editedArgs', 'must be an object');
  const words = given({
    reason: optionalText(body['reason'], 'reason', LONGEST_TEXT),
    note: optionalText(body['note'], 'note', LONGEST_TEXT),
  });
  return { approved, argumentsDigest, by, ...words, ...given({ editedArgs }) };
}

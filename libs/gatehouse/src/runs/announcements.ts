import { Injectable } from '@nestjs/common';
import { responseSchema } from '../approvals/response.schema.js';
import type { ApprovalRequest } from '../contracts/approval.js';
import type { DeferredCall } from '../contracts/deferred.call.js';
import type { AnnouncedApproval, AnnouncedDeferral, RunEvent } from '../contracts/run.events.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import type { LiveRun } from './live.run.js';
import type { Waits } from './waits.js';

/** What a stream says about approvals, never more than the inbox shows, and about deferred calls. */
@Injectable()
export class Announcements {
  constructor(private readonly tools: ToolRegistry) {}

  suspended(live: LiveRun, waiting: Waits): RunEvent {
    const { segment } = live.parts;
    const approvals = waiting.approvals.map((one) => this.announced(one));
    const deferred = waiting.deferrals.map((one) => this.deferred(one));
    const rest = deferred.length === 0 ? {} : { deferred };
    return { type: 'run.suspended', segment, approvals, ...rest, ...live.spent() };
  }

  /** One deferred call, as a client is told of it. */
  deferred({ operationId, toolCallId, toolName, metadata }: DeferredCall): AnnouncedDeferral {
    return { operationId, toolCallId, toolName, metadata };
  }

  /** One approval, as a client is told of it. */
  announced(approval: ApprovalRequest): AnnouncedApproval {
    const { id, toolCallId, toolName, argumentsDigest, summary, risk, expiresAt } = approval;
    return {
      id,
      toolCallId,
      toolName,
      argumentsDigest,
      risk,
      message: summary ?? `Approve ${toolName}?`,
      expiresAt: expiresAt.toISOString(),
      responseSchema: responseSchema(this.tools.get(toolName) ?? { parameters: {} }),
    };
  }
}

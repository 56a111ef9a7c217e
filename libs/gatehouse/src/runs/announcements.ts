import { Injectable } from '@nestjs/common';
import { responseSchema } from '../approvals/response.schema.js';
import type { ApprovalRequest } from '../contracts/approval.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { AnnouncedApproval, RunEvent } from '../contracts/run.events.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import type { LiveRun } from './live.run.js';

/** What a stream says about approvals: never more than the inbox shows. */
@Injectable()
export class Announcements {
  constructor(private readonly tools: ToolRegistry) {}

  suspended(live: LiveRun, waiting: readonly StoredApproval[]): RunEvent {
    return { type: 'run.suspended', segment: live.parts.segment, approvals: waiting.map((one) => this.announced(one)) };
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

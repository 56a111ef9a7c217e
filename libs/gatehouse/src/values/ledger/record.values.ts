import type { LedgerRecord } from '../../contracts/ledger.js';

/**
 * The values of a record in the order of the tags, without the commitment. Each by its own name: looked up by names that change, they cost more than
 * the hash. A test holds the order against `LEDGER_COLUMNS`.
 */
export function recordValues(of: LedgerRecord): readonly (LedgerRecord[keyof LedgerRecord] | undefined)[] {
  return [
    of.id,
    of.kind,
    of.at,
    of.startedAt,
    of.organizationId,
    of.principalId,
    of.runId,
    of.threadId,
    of.parentRunId,
    of.operationId,
    of.parentOperationId,
    of.approvalId,
    of.blockedByOperationId,
    of.redirectedFromOperationId,
    of.step,
    of.position,
    of.agent,
    of.toolName,
    of.toolCallId,
    of.callKind,
    of.status,
    of.outcome,
    of.stage,
    of.source,
    of.decidedBy,
    of.executionStarted,
    of.late,
    of.argumentsDigest,
    of.executedDigest,
    of.errorType,
    of.targetType,
    of.targetId,
    of.durationUs,
    of.resultSize,
    of.requests,
    of.toolCalls,
    of.inputTokens,
    of.outputTokens,
    of.amount,
    of.reference,
    of.traceId,
    of.spanId,
  ];
}

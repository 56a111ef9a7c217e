import type { AuditEvent } from '../../contracts/audit.event.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { TerminalEntry } from '../../contracts/ports/evidence.store.js';
import type { TerminalRecord } from '../../contracts/terminal.record.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { visibleText } from '../../values/visible-text.js';

const shown = (text: string | null): string | null => (text === null ? null : visibleText(text));
const cleaned = (text: string | null): string | null => (text === null ? null : sanitizeText(text));

/** An execution as every store takes it. */
export function storableExecution(event: AuditEvent): AuditEvent {
  return {
    ...event,
    toolName: visibleText(event.toolName),
    argumentsRepr: visibleText(event.argumentsRepr),
    error: cleaned(event.error),
    organizationId: shown(event.organizationId),
    targetType: shown(event.targetType),
    targetId: shown(event.targetId),
    ipAddress: shown(event.ipAddress),
    threadId: visibleText(event.threadId),
    principalId: shown(event.principalId),
  };
}

/** An operation's record as every store takes it. */
export function storableOperation(record: OperationRecord): OperationRecord {
  return {
    ...record,
    threadId: visibleText(record.threadId),
    toolName: visibleText(record.toolName),
    toolCallId: visibleText(record.toolCallId),
    argumentsRepr: visibleText(record.argumentsRepr),
    reason: cleaned(record.reason),
    guidance: cleaned(record.guidance),
    error: cleaned(record.error),
    shadowed: record.shadowed.map(({ hook, decision }) => ({ hook: visibleText(hook), decision })),
    organizationId: shown(record.organizationId),
    principalId: shown(record.principalId),
  };
}

/** A terminal record as every store takes it; the operations themselves are in their own ledger. */
export function storableTerminal({ failedOperations, ...record }: TerminalRecord): TerminalEntry {
  return {
    ...record,
    threadId: visibleText(record.threadId),
    agent: visibleText(record.agent),
    error: cleaned(record.error),
    source: cleaned(record.source),
    reason: cleaned(record.reason),
    organizationId: shown(record.organizationId),
    principalId: shown(record.principalId),
    failedOperationIds: failedOperations.map(({ request }) => request.operationId),
  };
}

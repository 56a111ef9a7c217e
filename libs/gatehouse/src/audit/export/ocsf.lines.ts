import type { LedgerKind } from '../../contracts/ledger.js';
import type { LogRecord } from '../../contracts/ports/log.source.js';
import { textOf } from '../../values/ledger/payload.text.js';

// API Activity, with the security_control profile: see schema.ocsf.io.
const CLASS = 6003;
const OTHER = 99;

const DISPOSITIONS: Readonly<Record<string, readonly [action: number, disposition: number]>> = {
  completed: [1, 1],
  denied: [2, 25],
  rejected: [2, 2],
  skipped: [2, 2],
  aborted: [2, 2],
};

/** A record as an OCSF event of class API Activity, one line of JSON. What OCSF has no place for stands under `unmapped`. */
export function ocsfLine(entry: LogRecord): string {
  const { record } = entry;
  const [action, disposition] = DISPOSITIONS[record.status ?? ''] ?? [0, 0];
  const failed = hasFailed(record.kind, record.status ?? '', record.outcome ?? '');
  // Nobody knows yet what became of the call.
  const isUnknown = record.kind === 'approval.lost';
  return `${JSON.stringify({
    class_uid: CLASS,
    class_name: 'API Activity',
    category_uid: 6,
    category_name: 'Application Activity',
    activity_id: OTHER,
    activity_name: record.kind,
    type_uid: CLASS * 100 + OTHER,
    type_name: `API Activity: ${record.kind}`,
    severity_id: failed || isUnknown ? 3 : 1,
    time: record.at.getTime(),
    start_time: record.startedAt?.getTime(),
    duration: typeof record.durationUs === 'number' ? Math.round(record.durationUs / 1000) : undefined,
    status_id: isUnknown ? 0 : failed ? 2 : 1,
    status: isUnknown ? 'Unknown' : failed ? 'Failure' : 'Success',
    status_code: record.errorType ?? undefined,
    status_detail: textOf(entry, 'reason') ?? undefined,
    message: textOf(entry, 'detail') ?? textOf(entry, 'error') ?? undefined,
    action_id: record.kind === 'operation.finished' ? action : undefined,
    disposition_id: record.kind === 'operation.finished' ? disposition : undefined,
    metadata: {
      version: '1.5.0',
      profiles: ['security_control'],
      uid: record.id,
      correlation_uid: record.runId ?? undefined,
      tenant_uid: record.organizationId ?? undefined,
      product: { name: 'nest-gatehouse', vendor_name: 'Gatehouse' },
    },
    actor: {
      user: typeof record.principalId === 'string' ? { uid: record.principalId } : undefined,
      app_name: record.agent ?? undefined,
    },
    api: {
      operation: record.toolName ?? record.kind,
      service: { name: 'agent tools' },
      request: { uid: record.toolCallId ?? record.operationId ?? record.id },
      response: failed ? { error: record.errorType ?? record.status ?? undefined } : undefined,
    },
    resources:
      typeof record.targetId === 'string'
        ? [{ uid: record.targetId, type: record.targetType ?? undefined }]
        : undefined,
    src_endpoint: { ip: textOf(entry, 'ipAddress') ?? undefined },
    unmapped: {
      status: record.status ?? undefined,
      outcome: record.outcome ?? undefined,
      decided_by: record.decidedBy ?? undefined,
      thread_id: record.threadId ?? undefined,
      operation_id: record.operationId ?? undefined,
      approval_id: record.approvalId ?? undefined,
      arguments: textOf(entry, 'arguments') ?? undefined,
      arguments_digest: record.argumentsDigest ?? undefined,
      trace_id: record.traceId ?? undefined,
      span_id: record.spanId ?? undefined,
      writer_id: entry.writerId,
      seq: entry.seq,
      idx: entry.idx,
    },
  })}\n`;
}

function hasFailed(kind: LedgerKind, status: string, outcome: string): boolean {
  if (kind === 'operation.finished') return outcome !== 'success';
  if (kind === 'run.terminal') return status !== 'completed';
  if (kind === 'writer') return status === 'lost';
  if (kind === 'read') return status === 'broken-off';
  return status === 'failure' || status === 'denied' || status === 'refused' || kind === 'gap' || kind === 'run.audit';
}

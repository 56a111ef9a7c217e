import { Injectable, Logger } from '@nestjs/common';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { AuditLogger } from '../contracts/roles.js';
import { oneLine } from '../values/one-line.js';

const LONGEST_FIELD = 64 * 1024;

/** Writes each record to Nest's logger, context `gatehouse.audit`: INFO for a success, WARN for a failure. */
@Injectable()
export class LoggingAuditLogger implements AuditLogger {
  private readonly logger = new Logger('gatehouse.audit');

  record(event: AuditEvent): void {
    if (event.success) this.logger.log(lineOf(event));
    else this.logger.warn(lineOf(event));
  }
}

function lineOf(event: AuditEvent): string {
  const parts = [`${event.toolName} ${outcomeOf(event)}`, `args=${event.argumentsRepr}`, ...labelsOf(event)];
  // A message or an argument must not be able to forge a second entry.
  return parts.map((part) => oneLine(part, LONGEST_FIELD)).join(' ');
}

function outcomeOf({ success, durationMs, resultSize, error }: AuditEvent): string {
  const duration = `${durationMs.toFixed(2)} ms`;
  return success ? `ok in ${duration}, size ${resultSize ?? 0}` : `failed in ${duration}: ${error ?? 'unknown'}`;
}

function labelsOf({ organizationId, targetType, targetId, ipAddress }: AuditEvent): string[] {
  return [
    ...(organizationId === null ? [] : [`org=${organizationId}`]),
    ...(targetType === null && targetId === null ? [] : [`target=${targetType ?? '?'}:${targetId ?? '?'}`]),
    ...(ipAddress === null ? [] : [`ip=${ipAddress}`]),
  ];
}

import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { AuditLogger } from '../contracts/roles.js';
import { EvidenceWriter } from './evidence.writer.js';

/** Keeps records in the evidence tables; the default with `persistence`. Queued: it never makes a run wait. */
@Injectable()
export class PostgresAuditLogger implements AuditLogger {
  constructor(private readonly writer: EvidenceWriter) {}

  record(event: AuditEvent): void {
    this.writer.submitExecution(event);
  }
}

import { Injectable } from '@nestjs/common';
import type { AuditEvent, AuditLogger } from 'nest-gatehouse';

/** Keeps the execution records, so that a test can look at them. */
@Injectable()
export class RecordingLogger implements AuditLogger {
  readonly events: AuditEvent[] = [];

  record(event: AuditEvent): void {
    this.events.push(event);
  }

  /** The run-level records of one run, in words. */
  ofRun(runId: string): string[] {
    return this.events
      .filter((event) => event.kind === 'run' && event.runId === runId)
      .map(({ toolName, success, error }) => `${toolName} ${success} ${error}`);
  }
}

import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AuditEvent } from '../contracts/audit.event.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { AuditLogger } from '../contracts/roles.js';
import { AUDIT_LOGGERS } from '../contracts/tokens.js';
import { describeError } from '../values/error-text.js';
import { within } from '../values/within.js';
import { NullAuditLogger } from './null.audit.logger.js';
import { PostgresAuditLogger } from './postgres.audit.logger.js';

/** Hands each record to every audit logger. One that throws, rejects or hangs costs its record, never the run. */
@Injectable()
export class ExecutionRecorder {
  /** False: nobody records, so nothing need be made. */
  readonly active: boolean;
  private readonly loggers: readonly AuditLogger[];
  private readonly logger = new Logger('gatehouse.audit');
  private lost = 0;

  constructor(
    @Inject(AUDIT_LOGGERS) loggers: readonly AuditLogger[],
    private readonly options: ResolvedOptions,
  ) {
    this.loggers = options.audit.enabled ? loggers.filter((one) => !(one instanceof NullAuditLogger)) : [];
    this.active = this.loggers.length > 0;
  }

  /** How many records were dropped, one for each logger, since the start. */
  get dropped(): number {
    return this.lost;
  }

  /**
   * Resolves when every logger has the record, or `audit.sinkTimeout` has passed. Never rejects.
   *
   * @param stored it is in the evidence already: who only puts it there is not asked again
   */
  async record(event: AuditEvent, stored = false): Promise<void> {
    const sinks = stored ? this.loggers.filter((sink) => !(sink instanceof PostgresAuditLogger)) : this.loggers;
    await Promise.all(sinks.map((sink) => this.deliver(sink, event)));
  }

  private async deliver(sink: AuditLogger, event: AuditEvent): Promise<void> {
    const { sinkTimeout } = this.options.audit;
    try {
      await within(sink.record(event), sinkTimeout, () => new Error(`no answer within ${sinkTimeout} ms`));
    } catch (error) {
      this.lost += 1;
      const where = `tool '${event.toolName}', run ${event.runId}`;
      this.logger.error(`Audit event dropped by ${sink.constructor.name}: ${where} (${describeError(error)}).`);
    }
  }
}

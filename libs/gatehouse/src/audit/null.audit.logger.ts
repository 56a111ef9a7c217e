import { Injectable } from '@nestjs/common';
import type { AuditLogger } from '../contracts/roles.js';

/** Records nothing. Where it is the only logger, nothing is composed and nothing is paid. */
@Injectable()
export class NullAuditLogger implements AuditLogger {
  record(): void {}
}

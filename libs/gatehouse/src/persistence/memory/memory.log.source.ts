import { Injectable } from '@nestjs/common';
import { LogSource, type LogQuery, type LogRecord } from '../../contracts/ports/log.source.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';

/** Memory seals nothing. */
@Injectable()
export class MemoryLogSource extends LogSource {
  override async *records(_query: LogQuery): AsyncGenerator<LogRecord> {
    throw new ConfigurationError("Exporting evidence needs GatehouseModule's option 'persistence'.");
  }
}

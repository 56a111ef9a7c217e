import { Injectable } from '@nestjs/common';
import { LogSource, type LogQuery, type LogRecord } from '../../contracts/ports/log.source.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';

/** Memory seals nothing. */
@Injectable()
export class MemoryLogSource extends LogSource {
  // eslint-disable-next-line require-yield -- there is nothing to yield, and the caller loops over it
  override async *records(_query: LogQuery): AsyncGenerator<LogRecord> {
    throw new ConfigurationError("Exporting evidence needs GatehouseModule's option 'persistence'.");
  }
}

import { Injectable } from '@nestjs/common';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { LedgerReader } from '../../contracts/ports/ledger.reader.js';

/** Evidence of this process is gone with it: there is nothing sealed to read. */
@Injectable()
export class MemoryLedgerReader extends LedgerReader {
  override snapshot(): Promise<never> {
    return Promise.reject(
      new ConfigurationError('Evidence in memory is not sealed: verifying and proving need `persistence`.'),
    );
  }
}

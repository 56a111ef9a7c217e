import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { LedgerEntry } from '../../contracts/ledger.js';
import { LogSource, type LogQuery } from '../../contracts/ports/log.source.js';
import { newId } from '../../values/ids.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';
import { EvidenceWriter } from '../evidence.writer.js';
import { DURABLY_WITHIN } from '../keeping/durably.within.js';
import { EXPORT_FORMATS, type ExportFormat } from './export.format.js';

/** Which records, for whom. */
export interface ExportQuery extends LogQuery {
  /** Who exports: recorded. */
  readonly by: string;
}

/** Hands evidence out as a stream. That somebody does so is evidence itself: recorded before the first byte, and again at the end. */
@Injectable()
export class EvidenceExport {
  constructor(
    private readonly source: LogSource,
    private readonly writer: EvidenceWriter,
  ) {}

  /**
   * The records as they are at one moment, oldest first. Errors of the store destroy the stream.
   *
   * @throws AuditUnavailableError (as the stream's error) where that it happens cannot be recorded: then nothing is handed out
   */
  open({ by, ...query }: ExportQuery, format: ExportFormat): Readable {
    return Readable.from(this.lines(by, query, format), { objectMode: false });
  }

  private async *lines(by: string, query: LogQuery, format: ExportFormat): AsyncGenerator<string> {
    const writing = EXPORT_FORMATS[format];
    const tell = (status: string, amount: number | null): LedgerEntry => readEntry(by, query, format, status, amount);
    await this.writer.submitDurably(tell('started', null), DURABLY_WITHIN);
    let amount = 0;
    let status = 'broken-off';
    try {
      // With the first record: a source that cannot be read is an error, not the beginning of a file.
      let head = writing.head;
      for await (const record of this.source.records(query)) {
        yield head + writing.line(record);
        head = '';
        amount += 1;
      }
      if (head !== '') yield head;
      status = 'finished';
    } finally {
      this.writer.submit(tell(status, amount));
    }
  }
}

function readEntry(
  by: string,
  query: LogQuery,
  format: ExportFormat,
  status: string,
  amount: number | null,
): LedgerEntry {
  return {
    record: {
      id: newId(),
      kind: 'read',
      at: new Date(),
      status,
      organizationId: typeof query.organizationId === 'string' ? ledgerName(query.organizationId) : null,
      principalId: ledgerName(by),
      reference: `export:${format}`,
      amount,
    },
    payload: { detail: JSON.stringify(query) },
  };
}

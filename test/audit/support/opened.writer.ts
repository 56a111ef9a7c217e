import type { DataSource } from 'typeorm';
import { EvidenceWriter } from '../../../libs/gatehouse/src/audit/evidence.writer.js';
import type { EvidenceLog } from '../../../libs/gatehouse/src/contracts/ports/evidence.log.js';
import type { ResolvedOptions } from '../../../libs/gatehouse/src/contracts/resolved.options.js';
import { Database } from '../../../libs/gatehouse/src/persistence/postgres/database.js';
import { PostgresEvidenceLog } from '../../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import type { LedgerEntry } from '../../../libs/gatehouse/src/contracts/ledger.js';
import { newId } from '../../../libs/gatehouse/src/values/ids.js';

/** A writer as an application has it, on a database somewhere. */
export interface OpenedWriter {
  readonly writer: EvidenceWriter;
  readonly log: PostgresEvidenceLog;
  readonly database: Database;
  close(): Promise<void>;
}

export interface WriterSettings {
  /** Of one batch. Default 10 s: the machine may be busy. */
  readonly deadlineMs?: number;
  readonly drain?: number;
  readonly records?: number;
}

/** The data source is never connected: the writer has connections of its own. */
export function openWriter(
  url: string,
  { deadlineMs = 10_000, drain = 5000, records = 10_000 }: WriterSettings = {},
): OpenedWriter {
  const database = new Database({ options: { type: 'postgres', url } } as unknown as DataSource, 'gatehouse');
  const log = new PostgresEvidenceLog(database, deadlineMs);
  const writer = writerOn(log, { drain, records });
  return {
    writer,
    log,
    database,
    close: async () => {
      await writer.beforeApplicationShutdown();
      await writer.onApplicationShutdown();
    },
  };
}

/** The writer on any log. */
export function writerOn(log: EvidenceLog, { drain = 5000, records = 10_000 }: WriterSettings = {}): EvidenceWriter {
  const queue = { records, bytes: 2 ** 30 };
  return new EvidenceWriter(log, { runs: { drain }, audit: { queue } } as unknown as ResolvedOptions);
}

/** A small record with a payload. */
export const aRecord = (reference: string, id = newId()): LedgerEntry => ({
  record: { id, kind: 'read', at: new Date(), reference },
  payload: { detail: `about ${reference}` },
});

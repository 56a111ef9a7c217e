import type { LedgerEntry } from '../../../contracts/ledger.js';
import type { OperationRecord } from '../../../contracts/operation.record.js';
import type { TerminalRecord } from '../../../contracts/terminal.record.js';
import type { AuditEvent } from '../../../contracts/audit.event.js';
import { executionEntry } from '../../../values/ledger/execution.entry.js';
import { operationEntry } from '../../../values/ledger/operation.entry.js';
import { runEndEntry } from '../../../values/ledger/terminal.entry.js';
import type { Sql } from '../sql.js';
import { bulkInsert } from '../writes/bulk.insert.js';
import { FACT_COLUMNS } from './ledger.rows.js';

/** Leaves facts in the outbox, in the transaction that makes them true; the same one twice is one. */
export async function writeFacts(sql: Sql, entries: readonly LedgerEntry[]): Promise<void> {
  if (entries.length === 0) return;
  const { text, values } = bulkInsert(sql.tables.outbox, FACT_COLUMNS, entries);
  await sql.run(text, values);
}

/** What became of proposed calls. */
export const writeOperations = (sql: Sql, records: readonly OperationRecord[]): Promise<void> =>
  writeFacts(sql, records.map(operationEntry));

/** How a run ended, with its run-level execution where it did not end well. */
export const writeEnd = (sql: Sql, record: TerminalRecord, audit: AuditEvent | undefined): Promise<void> =>
  writeFacts(sql, [runEndEntry(record), ...(audit === undefined ? [] : [executionEntry(audit)])]);

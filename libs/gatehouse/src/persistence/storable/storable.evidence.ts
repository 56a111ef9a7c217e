import type { AuditEvent } from '../../contracts/audit.event.js';
import type { LedgerEntry, StoredEntry } from '../../contracts/ledger.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { TerminalEntry } from '../../contracts/ports/evidence.store.js';
import type { TerminalRecord } from '../../contracts/terminal.record.js';
import { executionEntry, executionOf } from '../../values/ledger/execution.entry.js';
import { operationEntry, operationOf } from '../../values/ledger/operation.entry.js';
import { runEndEntry, terminalOf } from '../../values/ledger/terminal.entry.js';

/** A record as it would be read back. */
export const kept = (entry: LedgerEntry): StoredEntry => ({ ...entry, erased: false, sealed: true });

/** An execution as every store keeps it. */
export const storableExecution = (event: AuditEvent): AuditEvent => executionOf(kept(executionEntry(event)));

/** An operation's record as every store keeps it. */
export const storableOperation = (record: OperationRecord): OperationRecord =>
  operationOf(kept(operationEntry(record)));

/** A terminal record as every store keeps it; the operations themselves are in their own ledger. */
export const storableTerminal = (record: TerminalRecord): TerminalEntry => terminalOf(kept(runEndEntry(record)));

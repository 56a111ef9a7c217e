import type { LedgerEntry } from '../../contracts/ledger.js';
import { EXECUTION_KINDS, executionOf } from '../../values/ledger/execution.entry.js';
import { operationOf } from '../../values/ledger/operation.entry.js';
import { kept } from '../storable/storable.evidence.js';
import { copied, type MemoryState } from './memory.state.js';

/** Keeps one record with those of its kind; one that is there stays. */
export function appendEntry(state: MemoryState, entry: LedgerEntry): void {
  const { id, kind } = entry.record;
  if (EXECUTION_KINDS.includes(kind)) addOnce(state.executions, id, executionOf(kept(entry)));
  else if (kind === 'operation.finished') addOnce(state.operations, id, operationOf(kept(entry)));
  else addOnce(state.entries, id, entry);
}

function addOnce<T>(records: Map<string, T>, id: string, record: T): void {
  if (!records.has(id)) records.set(id, copied(record));
}

import type { LedgerEntry } from '../../../contracts/ledger.js';
import type { NewRun } from '../../../contracts/ports/stored.run.js';
import { ledgerName } from '../../../values/ledger/ledger.name.js';

const named = (name: string | undefined): string | null => (name === undefined ? null : ledgerName(name));

/** That a run was started. */
export function runStartEntry(id: string, run: NewRun, principalId: string | undefined, at: Date): LedgerEntry {
  return {
    record: {
      id,
      kind: 'run.started',
      at,
      startedAt: at,
      organizationId: named(run.organizationId),
      principalId: named(principalId),
      runId: run.id,
      threadId: ledgerName(run.threadId),
      parentRunId: run.parentRunId ?? null,
      parentOperationId: run.parentOperationId ?? null,
      agent: ledgerName(run.agent),
    },
    payload: null,
  };
}

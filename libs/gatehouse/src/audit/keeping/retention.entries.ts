import type { LedgerEntry } from '../../contracts/ledger.js';
import type { DroppedMonth, RecordedErasure } from '../../contracts/ports/evidence.keeping.js';
import { newId } from '../../values/ids.js';

/** That a month goes, or went. */
export const droppedEntry = ({ month, records, by, detail }: DroppedMonth): LedgerEntry => ({
  record: {
    id: newId(),
    kind: 'retention',
    at: new Date(),
    status: 'dropped',
    principalId: by,
    reference: month,
    amount: records,
  },
  payload: detail === null ? null : { detail },
});

/** That a month stayed whose going was recorded: something came between. */
export const keptEntry = (month: string, by: string): LedgerEntry => ({
  record: { id: newId(), kind: 'retention', at: new Date(), status: 'kept', principalId: by, reference: month },
  payload: null,
});

/** An erasure said again, of the instant of the first time: it covers what happened until then, and nothing later. */
export const erasedEntry = ({ at, principalId, runId, amount, by, reason }: RecordedErasure): LedgerEntry => ({
  record: { id: newId(), kind: 'erased', at, principalId, runId, amount, reference: by },
  payload: reason === null ? null : { reason },
});

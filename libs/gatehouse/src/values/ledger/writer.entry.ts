import type { LedgerEntry } from '../../contracts/ledger.js';
import { newId } from '../ids.js';

/** What is said of a writer. A `heartbeat` is the sealer's, when nothing else happens. */
export type WriterStatus = 'opened' | 'closed' | 'lost' | 'heartbeat';

/**
 * Something about a writer of the log.
 *
 * @param lastSeq the number of its last batch; of one that closes, that of the batch this record is in
 */
export function writerEntry(status: WriterStatus, writerId: string, lastSeq: number | null, at: Date): LedgerEntry {
  return { record: { id: newId(), kind: 'writer', at, status, amount: lastSeq, reference: writerId }, payload: null };
}

import type { BatchHeader, LedgerEntry, LedgerRecord } from '../../contracts/ledger.js';
import type { StoredRow } from '../../contracts/ports/ledger.reader.js';
import { newId } from '../../values/ids.js';
import { batchRoot, prepareEntry } from '../../values/ledger/batch.preparation.js';
import { findChange } from './changed.row.js';

const WRITER = newId();
const AT = new Date('2026-11-30T12:00:00Z');

const entries: readonly LedgerEntry[] = [1, 2, 3, 4, 5].map((amount) => ({
  record: { id: newId(), kind: 'read', at: AT, amount, agent: 'desk', principalId: `p${amount}`, operationId: newId() },
  payload: amount === 3 ? { reason: 'why' } : null,
}));
const prepared = entries.map(prepareEntry);
const header: BatchHeader = {
  writerId: WRITER,
  seq: 7,
  count: 5,
  firstId: entries[0]?.record.id ?? '',
  lastId: entries.at(-1)?.record.id ?? '',
  root: batchRoot(prepared),
};

/** The batch as it is stored after one record was changed. */
function stored(idx: number, change: Partial<LedgerRecord>, isLater = false): readonly StoredRow[] {
  return prepared.map(({ entry: { record }, payload }, at) => {
    const own = at === idx ? { ...record, ...change } : record;
    return {
      ...{ writerId: WRITER, seq: 7, idx: at, id: own.id, record: own },
      commitment: payload?.commitment ?? null,
      isLater: at === idx && isLater,
    };
  });
}

const at = (idx: number, rows: readonly StoredRow[]) => ({ writerId: WRITER, seq: 7, idx, id: rows[idx]?.id });

describe('which record was changed', () => {
  it.each<[string, number, Partial<LedgerRecord>, readonly string[]]>([
    ['a value that was not there', 2, { status: 'success' }, ['status']],
    ['NULL made empty', 1, { reference: '' }, ['reference']],
    ["a neighbour's value taken away", 4, { agent: null }, ['agent']],
    ['two columns swapped', 0, { agent: 'p1', principalId: 'desk' }, ['principal_id', 'agent']],
    ['a flag set', 3, { late: true }, ['late']],
    ['the last id', 4, { id: newId() }, ['id']],
  ])('is proven: %s', (_, idx, change, columns) => {
    const rows = stored(idx, change);
    expect(findChange(header, rows)).toEqual({ place: at(idx, rows), columns, certainty: 'proven' });
  });

  it('is proven: two records that changed places', () => {
    const rows = stored(0, {});
    const swapped = [rows[0], rows[3], rows[2], rows[1], rows[4]].flatMap((row, idx) => (row ? [{ ...row, idx }] : []));
    expect(findChange(header, swapped)).toEqual({
      place: { writerId: WRITER, seq: 7, idx: 1, id: rows[3]?.id },
      columns: ['idx'],
      certainty: 'proven',
    });
  });

  it('is likely the one that was written later than its batch, and nobody where none was or all were', () => {
    const change = { operationId: newId() };
    const rows = stored(2, change, true);
    expect(findChange(header, rows)).toEqual({ place: at(2, rows), certainty: 'likely' });
    expect(findChange(header, stored(2, change))).toBeUndefined();
    expect(
      findChange(
        header,
        stored(2, change).map((row) => ({ ...row, isLater: true })),
      ),
    ).toBeUndefined();
  });

  it('takes what no column of ours holds for a change like any other', () => {
    const rows = stored(2, { amount: 2 ** 60 }, true);
    expect(findChange(header, rows)).toMatchObject({ place: at(2, rows) });
  });
});

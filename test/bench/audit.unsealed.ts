import { columnArrays } from '../../libs/gatehouse/src/persistence/postgres/ledger/column.arrays.js';
import type { LedgerEntry } from '../../libs/gatehouse/src/contracts/ledger.js';
import { newId } from '../../libs/gatehouse/src/values/ids.js';
import { leafData } from '../../libs/gatehouse/src/values/ledger/leaf.data.js';

const writer = newId();

/** The same batch without its seal: no hash, no root, no header. */
export function unsealedInsert(entries: readonly LedgerEntry[]): { readonly text: string; readonly values: unknown[] } {
  const prepared = entries.map((entry) => ({
    entry,
    payload: null,
    data: leafData(entry.record, null),
    leaf: Buffer.alloc(0),
  }));
  const arrays = columnArrays(prepared);
  const names = arrays.map(({ column }) => column.name).join(', ');
  const parameters = arrays.map(({ column }, at) => `$${at + 2}::${column.type}[]`).join(', ');
  return {
    text: `INSERT INTO gatehouse.audit_log (${names}, writer_id, seq, idx)
      SELECT ${arrays.map(({ column }) => `r.${column.name}`).join(', ')}, $1::uuid, 1, (r.ordinality - 1)::integer
        FROM unnest(${parameters}) WITH ORDINALITY AS r(${names}, ordinality)`,
    values: [writer, ...arrays.map(({ values }) => values)],
  };
}

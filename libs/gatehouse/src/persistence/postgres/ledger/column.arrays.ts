import type { PreparedEntry } from '../../../values/ledger/batch.preparation.js';
import { LEAF_HEAD } from '../../../values/ledger/leaf.data.js';
import { LEDGER_COLUMNS, type LedgerColumn } from '../../../values/ledger/ledger.columns.js';
import { BinaryArray } from './binary.array.js';

/** A column that at least one record of a batch has, with its values. */
export interface ColumnArray {
  readonly column: LedgerColumn;
  readonly values: Buffer;
}

const LENGTH = 4;

/** Turns the encoded records of a batch into one array for each column, in the order of the tags. */
export function columnArrays(entries: readonly PreparedEntry[]): readonly ColumnArray[] {
  const arrays = sizesOf(entries).map((size, tag) =>
    size === 0 ? undefined : new BinaryArray(columnOf(tag).type, entries.length, size - 1),
  );
  entries.forEach(({ data }, at) =>
    forEachValue(data, (tag, start, end) => {
      const array = arrays[tag];
      array?.fillTo(at);
      array?.addFrom(data, start, end);
    }),
  );
  return arrays.flatMap((array, tag) => {
    array?.fillTo(entries.length);
    return array === undefined ? [] : [{ column: columnOf(tag), values: array.bytes }];
  });
}

// For each tag 0 where no record has the column, else one more than the bytes of its values: an empty text has none.
function sizesOf(entries: readonly PreparedEntry[]): readonly number[] {
  const sizes = new Array<number>(LEDGER_COLUMNS.length + 1).fill(0);
  for (const { data } of entries) {
    forEachValue(data, (tag, start, end) => {
      sizes[tag] = (sizes[tag] || 1) + (end - start - LENGTH);
    });
  }
  return sizes;
}

// Each value with the length in front of it.
function forEachValue(data: Buffer, use: (tag: number, start: number, end: number) => void): void {
  for (let at = 1; at < data.length;) {
    const end = at + LEAF_HEAD + data.readUInt32BE(at + 1);
    use(data[at] ?? 0, at + 1, end);
    at = end;
  }
}

function columnOf(tag: number): LedgerColumn {
  const column = LEDGER_COLUMNS[tag - 1];
  if (column === undefined) throw new RangeError(`There is no sealed column with the tag ${tag}.`);
  return column;
}

import type { GoldenRows } from './golden.rows.js';

/** Columns that hold JSON of ours. */
const BODIES = ['state', 'counters', 'limits', 'body'];

/** What a run is stored as, without what differs from run to run: of each row its columns, of each body its members and their types. */
export const shapesOf = (rows: GoldenRows): unknown =>
  Object.fromEntries(
    Object.entries(rows).map(([table, each]) => [
      table,
      each.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([column, value]): readonly [string, unknown] => [
            column,
            BODIES.includes(column) ? shapeOf(JSON.parse(String(value))) : 'stored',
          ]),
        ),
      ),
    ]),
  );

function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

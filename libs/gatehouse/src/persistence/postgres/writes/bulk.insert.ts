/** One column of a bulk insert: its SQL type, and what a record has for it. */
export interface BulkColumn<T> {
  readonly name: string;
  readonly type: string;
  readonly read: (record: T) => unknown;
}

/**
 * An INSERT of any number of records in the order given, with one array parameter per column: two parameters or thirty, never the 65535 at
 * which the protocol's counter wraps.
 */
export function bulkInsert<T>(
  table: string,
  columns: readonly BulkColumn<T>[],
  records: readonly T[],
): { readonly text: string; readonly values: readonly unknown[] } {
  const names = columns.map(({ name }) => name).join(', ');
  const arrays = columns.map(({ type }, at) => `$${at + 1}::${type}[]`).join(', ');
  return {
    text: `INSERT INTO ${table} (${names}) SELECT ${names} FROM unnest(${arrays}) WITH ORDINALITY AS r(${names}, ordinality)
      ORDER BY ordinality ON CONFLICT DO NOTHING`,
    values: columns.map(({ read }) => records.map((record) => read(record) ?? null)),
  };
}

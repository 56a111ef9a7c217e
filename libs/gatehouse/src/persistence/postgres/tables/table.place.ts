/** Where a table stands. */
export type TablePlace = (table: string) => {
  readonly name: string;
  readonly tableName: string;
  readonly schema: string;
  readonly synchronize: boolean;
};

/**
 * Tables of one schema. Entity names carry the schema: two applications in one process may share a data source name.
 *
 * @param synchronize true only where the schema is compared with the entities; a host's own `synchronize` must never touch these tables
 */
export const tablePlace =
  (schema: string, synchronize: boolean): TablePlace =>
  (table) => ({ name: `${schema}.${table}`, tableName: table, schema, synchronize });

import type { EntitySchemaColumnOptions } from 'typeorm';

type Column = EntitySchemaColumnOptions;
type Columns<Row> = { readonly [K in keyof Row]-?: Column };

export const key = (type: 'uuid' | 'text' | 'integer'): Column => ({ type, primary: true });
export const uuid: Column = { type: 'uuid' };
export const text: Column = { type: 'text' };
export const integer: Column = { type: 'integer' };
export const double: Column = { type: 'double precision' };
export const flag: Column = { type: 'boolean' };
export const instant: Column = { type: 'timestamptz', precision: 3 };
export const orNull = (column: Column): Column => ({ ...column, nullable: true });

/** The columns of a table. Properties are named like columns, and said so: a host's naming strategy cannot rename them. */
export function columns<Row>(of: Columns<Row>): { [K in keyof Row]: Column } {
  const named = Object.entries<Column>(of).map(([name, column]) => [name, { ...column, name }]);
  return Object.fromEntries(named) as { [K in keyof Row]: Column };
}

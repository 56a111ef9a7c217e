import fc from 'fast-check';
import type { Client } from 'pg';

/** What verify must at least say of a mutation: some fault with these fields. */
export interface Expected {
  readonly outcome: 'tampered' | 'untrusted';
  readonly place: Readonly<Record<string, unknown>>;
  readonly columns?: readonly string[];
}

/** A change that a superuser makes; nothing where it would change nothing. */
export type Mutation = (client: Client) => Promise<Expected | undefined>;

/** Where all is. */
export const S = 'gatehouse';

/** A row, by its place. */
export interface Picked {
  readonly id: string;
  readonly writer_id: string;
  readonly seq: string;
  readonly idx: number;
}

/** The `at`-th row of those, in the order of the log. */
export async function pick(client: Client, at: number, where = 'true'): Promise<Picked | undefined> {
  const { rows } = await client.query<Picked>(
    `SELECT id, writer_id, seq, idx FROM ${S}.audit_log WHERE ${where} ORDER BY writer_id, seq, idx`,
  );
  return rows[at % Math.max(rows.length, 1)];
}

/** As a report names it. */
export const placeOf = ({ id, writer_id, seq, idx }: Picked) => ({ writerId: writer_id, seq: Number(seq), idx, id });

/** With a name, for whoever reads a counterexample. */
export function told(name: string, mutation: Mutation): Mutation {
  return Object.assign(mutation, { [fc.toStringMethod]: () => name });
}

import type { Client } from 'pg';
import type { UnmovedFacts } from '../../../../contracts/ports/ledger.reader.js';
import type { TableNames } from '../../table.names.js';

// The time in a uuid v7 is its first 48 bits.
const ID_TIME = `('x0000' || left(replace(id::text, '-', ''), 12))::bit(64)::bigint`;
// An operation that waited for a person has an old id when it is over; what happened long ago may be told now.
const AGE = `extract(epoch FROM now()) * 1000 - greatest(${ID_TIME}, extract(epoch FROM at) * 1000)`;

/** Facts on their way into the log. */
export async function readUnmoved(client: Client, { outbox }: TableNames): Promise<UnmovedFacts> {
  const { rows } = await client.query<{ count: string; oldest: number; youngest: number; erasures: string }>(
    `SELECT count(*) AS count, count(*) FILTER (WHERE kind = 'erased') AS erasures,
      coalesce(max(age), 0)::double precision AS oldest, coalesce(min(age), 0)::double precision AS youngest
      FROM (SELECT kind, ${AGE} AS age FROM ${outbox}) o`,
  );
  const [row] = rows;
  return {
    count: Number(row?.count ?? 0),
    erasures: Number(row?.erasures ?? 0),
    oldestMs: Math.round(row?.oldest ?? 0),
    youngestMs: Math.round(row?.youngest ?? 0),
  };
}

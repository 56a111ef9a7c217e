import { rootOf } from '../../../libs/gatehouse/src/values/transparency/merkle.tree.js';
import { leafExpression } from '../../../libs/gatehouse/src/persistence/postgres/ledger/leaf.expression.js';

export type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

interface Batch {
  readonly writer_id: string;
  readonly seq: number;
  readonly count: number;
  readonly first_id: string;
  readonly last_id: string;
  readonly root: Buffer;
}

/** Everything that is not as the writers left it: numbers with holes, batches whose rows do not make their root, rows of no batch. */
export async function logProblems(query: Query): Promise<readonly string[]> {
  const batches = await query<Batch>(
    'SELECT writer_id, seq::integer, count, first_id, last_id, root FROM gatehouse.audit_batch ORDER BY writer_id, seq',
  );
  const rows = await query<{ batch: string; ids: string[]; places: number[]; leaves: Buffer[]; months: number }>(
    `SELECT writer_id || '/' || seq AS batch, array_agg(id::text ORDER BY idx) AS ids, array_agg(idx ORDER BY idx) AS places,
        array_agg(${leafExpression('l')} ORDER BY idx) AS leaves, count(DISTINCT l.tableoid)::integer AS months
      FROM gatehouse.audit_log l GROUP BY writer_id, seq`,
  );
  const found = new Map(rows.map((row) => [row.batch, row]));
  const problems: string[] = [];
  let before: Batch | undefined;
  for (const batch of batches) {
    const name = `${batch.writer_id}/${batch.seq}`;
    const expected = before?.writer_id === batch.writer_id ? before.seq + 1 : 1;
    if (batch.seq !== expected) problems.push(`${name}: after ${expected - 1}`);
    before = batch;
    const row = found.get(name);
    found.delete(name);
    const isWhole =
      row !== undefined &&
      row.months === 1 &&
      row.ids.length === batch.count &&
      row.places.every((place, at) => place === at) &&
      row.ids.at(0) === batch.first_id &&
      row.ids.at(-1) === batch.last_id &&
      rootOf(row.leaves).equals(batch.root);
    if (!isWhole) problems.push(`${name}: its rows are not what its header says`);
  }
  return [...problems, ...[...found.keys()].map((name) => `${name}: rows of no batch`)];
}

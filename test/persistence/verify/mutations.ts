import fc from 'fast-check';
import { LEDGER_COLUMNS, type LedgerType } from '../../../libs/gatehouse/src/values/ledger/ledger.columns.js';
import { headerData } from '../../../libs/gatehouse/src/values/ledger/batch.header.js';
import { leafHash } from '../../../libs/gatehouse/src/values/transparency/merkle.tree.js';
import { headerOf, type BatchRow } from '../../../libs/gatehouse/src/persistence/postgres/ledger/checkpoint.rows.js';
import type { Client } from 'pg';

/** What verify must at least say of a mutation: some fault with these fields. */
export interface Expected {
  readonly outcome: 'tampered' | 'untrusted';
  readonly place: Readonly<Record<string, unknown>>;
  readonly columns?: readonly string[];
}

/** A change that a superuser makes; nothing where it would change nothing. */
export type Mutation = (client: Client) => Promise<Expected | undefined>;

const S = 'gatehouse';
const SEALED = LEDGER_COLUMNS.filter(({ name }) => name !== 'id');
const NOT_NULL = ['kind', 'at'];

interface Picked {
  readonly id: string;
  readonly writer_id: string;
  readonly seq: string;
  readonly idx: number;
}

async function pick(client: Client, at: number, where = 'true'): Promise<Picked | undefined> {
  const { rows } = await client.query<Picked>(
    `SELECT id, writer_id, seq, idx FROM ${S}.audit_log WHERE ${where} ORDER BY writer_id, seq, idx`,
  );
  return rows[at % Math.max(rows.length, 1)];
}

const placeOf = ({ id, writer_id, seq, idx }: Picked) => ({ writerId: writer_id, seq: Number(seq), idx, id });

/** SQL for another value of a type. */
const OTHER: Readonly<Record<LedgerType, (column: string) => string>> = {
  uuid: () => 'gen_random_uuid()',
  text: (column) => `coalesce(${column}, '') || 'x'`,
  timestamptz: (column) => `coalesce(${column}, now()) + interval '1 millisecond'`,
  integer: (column) => `coalesce(${column}, 0) + 1`,
  bigint: (column) => `coalesce(${column}, 0) + 1`,
  boolean: (column) => `NOT coalesce(${column}, false)`,
  bytea: (column) => `sha256(coalesce(${column}, ''::bytea))`,
};

/** Any sealed column of any row gets another value. */
const changeColumn = fc.record({ row: fc.nat(200), column: fc.constantFrom(...SEALED) }).map(({ row, column }) =>
  told(`change ${column.name} of row ${row}`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    const { name, type } = column;
    await client.query(`UPDATE ${S}.audit_log SET ${name} = ${OTHER[type](name)} WHERE id = $1`, [picked.id]);
    return { outcome: 'tampered', place: placeOf(picked) };
  }),
);

/** What is NULL becomes empty, what is something becomes NULL: told with the column. */
const emptyColumn = fc
  .record({ row: fc.nat(200), column: fc.constantFrom(...SEALED.filter(({ name }) => !NOT_NULL.includes(name))) })
  .map(({ row, column: { name, type } }) =>
    told(`empty ${name} of row ${row}`, async (client) => {
      const isText = type === 'text';
      const picked = await pick(client, row, isText ? 'true' : `${name} IS NOT NULL`);
      if (picked === undefined) return undefined;
      await client.query(
        `UPDATE ${S}.audit_log SET ${name} = ${isText ? `CASE WHEN ${name} IS NULL THEN '' END` : 'NULL'} WHERE id = $1`,
        [picked.id],
      );
      return { outcome: 'tampered', place: placeOf(picked) };
    }),
  );

const swappable = LEDGER_COLUMNS.filter(({ name, type }) => ['text', 'uuid'].includes(type) && name !== 'id');

/** Two columns of one row change places: told with both. */
const swapColumns = fc
  .record({ row: fc.nat(200), one: fc.constantFrom(...swappable), other: fc.constantFrom(...swappable) })
  .filter(({ one, other }) => one.tag < other.tag && one.type === other.type && one.name !== 'kind')
  .map(({ row, one, other }) =>
    told(`swap ${one.name} and ${other.name} of row ${row}`, async (client) => {
      const [a, b] = [one.name, other.name];
      const picked = await pick(client, row, `${a} IS DISTINCT FROM ${b}`);
      if (picked === undefined) return undefined;
      await client.query(`UPDATE ${S}.audit_log SET ${a} = ${b}, ${b} = ${a} WHERE id = $1`, [picked.id]);
      return { outcome: 'tampered', place: placeOf(picked), columns: [a, b] };
    }),
  );

const deleteRow = fc.nat(200).map((row) =>
  told(`delete row ${row}`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    await client.query(`DELETE FROM ${S}.audit_log WHERE id = $1`, [picked.id]);
    await client.query(`DELETE FROM ${S}.audit_payload WHERE id = $1`, [picked.id]);
    const { writerId, seq } = placeOf(picked);
    return { outcome: 'tampered', place: { writerId, seq } };
  }),
);

const deleteRun = fc.nat(200).map((row) =>
  told(`delete the run of row ${row}`, async (client) => {
    const picked = await pick(client, row, 'run_id IS NOT NULL');
    if (picked === undefined) return undefined;
    const run = `(SELECT run_id FROM ${S}.audit_log WHERE id = $1)`;
    await client.query(
      `DELETE FROM ${S}.audit_payload WHERE id IN (SELECT id FROM ${S}.audit_log WHERE run_id = ${run})`,
      [picked.id],
    );
    await client.query(`DELETE FROM ${S}.audit_log WHERE run_id = ${run}`, [picked.id]);
    const { writerId, seq } = placeOf(picked);
    return { outcome: 'tampered', place: { writerId, seq } };
  }),
);

/** A batch with all that belongs to it, but for its leaf: that is under signed roots. */
const deleteBatch = fc.record({ at: fc.nat(100), withLeaf: fc.boolean() }).map(({ at, withLeaf }) =>
  told(`delete batch ${at}${withLeaf ? ' with its leaf' : ''}`, async (client) => {
    const { rows } = await client.query<{ writer_id: string; seq: string; log_index: string }>(
      `SELECT writer_id, seq, log_index FROM ${S}.audit_leaf ORDER BY log_index`,
    );
    const batch = rows[at % rows.length];
    if (batch === undefined) return undefined;
    await deleteBatches(client, '(writer_id, seq) = ($1, $2)', [batch.writer_id, batch.seq], withLeaf);
    const logIndex = Number(batch.log_index);
    return {
      outcome: 'tampered',
      place: withLeaf ? { logIndex } : { logIndex, writerId: batch.writer_id, seq: Number(batch.seq) },
    };
  }),
);

const deleteWriter = fc.nat(10).map((at) =>
  told(`delete writer ${at}`, async (client) => {
    const { rows } = await client.query<{ writer_id: string; first: string }>(
      `SELECT writer_id, min(log_index) AS first FROM ${S}.audit_leaf GROUP BY writer_id ORDER BY 1`,
    );
    const writer = rows[at % rows.length];
    if (writer === undefined) return undefined;
    await deleteBatches(client, 'writer_id = $1', [writer.writer_id], true);
    await client.query(`DELETE FROM ${S}.evidence_writer WHERE id = $1`, [writer.writer_id]);
    return { outcome: 'tampered', place: { logIndex: Number(writer.first) } };
  }),
);

/** The newest batches go, with their leaves and the checkpoints over them: an older state, in itself whole. Only the anchor knows. */
const cutTail = fc.nat(3).map((checkpoints) =>
  told(`cut the last ${checkpoints + 1} checkpoints`, async (client) => {
    const { rows } = await client.query<{ tree_size: string }>(
      `SELECT tree_size FROM ${S}.audit_checkpoint ORDER BY tree_size DESC OFFSET ${checkpoints + 1} LIMIT 1`,
    );
    const [kept] = rows;
    if (kept === undefined) return undefined;
    const size = Number(kept.tree_size);
    const tail = `(writer_id, seq) IN (SELECT writer_id, seq FROM ${S}.audit_leaf WHERE log_index >= $1)`;
    await deleteBatches(client, tail, [size], true);
    await client.query(`DELETE FROM ${S}.audit_checkpoint WHERE tree_size > $1`, [size]);
    await client.query(`DELETE FROM ${S}.audit_tile WHERE (index + 1) * power(2, level) > $1`, [size]);
    await client.query(`DELETE FROM ${S}.evidence_writer`);
    return { outcome: 'tampered', place: { logIndex: size } };
  }),
);

/** The newest checkpoint is taken away, or an older note stands in its place. */
const replayCheckpoint = fc.boolean().map((isReplaced) =>
  told(isReplaced ? 'replay an older checkpoint' : 'take the newest checkpoint away', async (client) => {
    const { rows } = await client.query<{ tree_size: string; root: Buffer; note: string }>(
      `SELECT * FROM ${S}.audit_checkpoint ORDER BY tree_size DESC LIMIT 2`,
    );
    const [newest, older] = rows;
    if (newest === undefined || older === undefined) return undefined;
    await client.query(`DELETE FROM ${S}.audit_checkpoint WHERE tree_size = $1`, [newest.tree_size]);
    if (!isReplaced) return { outcome: 'tampered', place: { logIndex: Number(older.tree_size) } };
    await client.query(`INSERT INTO ${S}.audit_checkpoint (tree_size, root, note) VALUES ($1, $2, $3)`, [
      newest.tree_size,
      older.root,
      older.note,
    ]);
    return { outcome: 'tampered', place: { treeSize: Number(newest.tree_size) } };
  }),
);

/** The "linear fake": a header in the middle and its own leaf, but not what stands over them. */
const editHeader = fc.record({ at: fc.nat(100), withLeaf: fc.boolean() }).map(({ at, withLeaf }) =>
  told(`edit header ${at}${withLeaf ? ' with its leaf' : ''}`, async (client) => {
    const { rows } = await client.query<BatchRow & { log_index: string }>(
      `SELECT b.*, l.log_index FROM ${S}.audit_batch b JOIN ${S}.audit_leaf l USING (writer_id, seq) ORDER BY l.log_index`,
    );
    const row = rows[at % rows.length];
    if (row === undefined) return undefined;
    const forged = { ...headerOf(row), root: leafHash(Buffer.from('forged')) };
    const key = [row.writer_id, row.seq];
    await client.query(`UPDATE ${S}.audit_batch SET root = $3 WHERE (writer_id, seq) = ($1, $2)`, [
      ...key,
      forged.root,
    ]);
    if (withLeaf)
      await client.query(`UPDATE ${S}.audit_leaf SET hash = $3 WHERE (writer_id, seq) = ($1, $2)`, [
        ...key,
        leafHash(headerData(forged)),
      ]);
    return {
      outcome: 'tampered',
      place: { logIndex: Number(row.log_index), writerId: row.writer_id, seq: Number(row.seq) },
    };
  }),
);

const reorder = fc.nat(200).map((row) =>
  told(`swap the places of row ${row} and its neighbour`, async (client) => {
    const picked = await pick(client, row, 'idx > 0');
    if (picked === undefined) return undefined;
    const { writerId, seq, idx } = placeOf(picked);
    await client.query(
      `UPDATE ${S}.audit_log SET idx = CASE idx WHEN $3 THEN $3 - 1 ELSE $3 END WHERE writer_id = $1 AND seq = $2 AND idx IN ($3 - 1, $3)`,
      [writerId, seq, idx],
    );
    return { outcome: 'tampered', place: { writerId, seq, idx: idx - 1 }, columns: ['idx'] };
  }),
);

/** A record nobody wrote: in an existing batch, or in one of its own that stands in no log. */
const insertRow = fc.record({ row: fc.nat(200), inBatch: fc.boolean() }).map(({ row, inBatch }) =>
  told(`insert a copy of row ${row} ${inBatch ? 'into its batch' : 'beside all batches'}`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    const names = LEDGER_COLUMNS.filter(({ name }) => name !== 'id' && name !== 'payload_commitment').map(
      ({ name }) => name,
    );
    const seq = inBatch ? 'seq' : 'seq + 1000';
    const { rows } = await client.query<Picked>(
      `INSERT INTO ${S}.audit_log (id, ${names.join(', ')}, writer_id, seq, idx)
        SELECT ${S}.uuid_v7(), ${names.join(', ')}, writer_id, ${seq}, idx FROM ${S}.audit_log WHERE id = $1 RETURNING id, writer_id, seq, idx`,
      [picked.id],
    );
    const [forged] = rows;
    return forged && { outcome: 'tampered', place: placeOf(forged) };
  }),
);

/** A record in a batch that is in itself right, and even has a leaf: only a checkpoint over it is missing. */
const insertBatch = fc.nat(200).map((row) =>
  told(`insert a batch of a copy of row ${row} into the log`, async (client) => {
    const picked = await pick(client, row);
    if (picked === undefined) return undefined;
    const { rows } = await client.query<BatchRow>(
      `INSERT INTO ${S}.audit_batch (writer_id, seq, codec, count, first_id, last_id, root)
        SELECT writer_id, max(seq) + 1, 1, 1, $2, $2, sha256('') FROM ${S}.audit_batch WHERE writer_id = $1 GROUP BY writer_id RETURNING *`,
      [picked.writer_id, picked.id],
    );
    const [forged] = rows;
    if (forged === undefined) return undefined;
    const inserted = await client.query<{ log_index: string }>(
      `INSERT INTO ${S}.audit_leaf (log_index, writer_id, seq, hash) SELECT max(log_index) + 1, $1, $2, $3 FROM ${S}.audit_leaf RETURNING log_index`,
      [forged.writer_id, forged.seq, leafHash(headerData(headerOf(forged)))],
    );
    return { outcome: 'tampered', place: { logIndex: Number(inserted.rows[0]?.log_index) } };
  }),
);

const changePayload = fc
  .record({ row: fc.nat(200), how: fc.constantFrom('body', 'salt', 'gone', 'organization') })
  .map(({ row, how }) =>
    told(`payload of row ${row}: ${how}`, async (client) => {
      const picked = await pick(client, row, 'payload_commitment IS NOT NULL');
      if (picked === undefined) return undefined;
      const sql = {
        body: `UPDATE ${S}.audit_payload SET body = body || ' '::bytea WHERE id = $1`,
        salt: `UPDATE ${S}.audit_payload SET salt = substring(sha256(salt) FROM 1 FOR 16) WHERE id = $1`,
        gone: `DELETE FROM ${S}.audit_payload WHERE id = $1`,
        organization: `UPDATE ${S}.audit_payload SET organization_id = organization_id || 'x' WHERE id = $1`,
      }[how];
      await client.query(sql, [picked.id]);
      return { outcome: 'tampered', place: placeOf(picked) };
    }),
  );

const changeSubtreeOrAnchor = fc.constant(
  told('note that a larger log was anchored', async (client) => {
    const { rows } = await client.query<{ size: string }>(
      `INSERT INTO ${S}.audit_anchor (tree_size, anchor) SELECT max(tree_size) + 1, 'x' FROM ${S}.audit_checkpoint RETURNING tree_size AS size`,
    );
    return { outcome: 'tampered', place: { treeSize: Number(rows[0]?.size) } };
  }),
);

async function deleteBatches(
  client: Client,
  where: string,
  values: readonly unknown[],
  withLeaf: boolean,
): Promise<void> {
  await client.query(`DELETE FROM ${S}.audit_payload WHERE id IN (SELECT id FROM ${S}.audit_log WHERE ${where})`, [
    ...values,
  ]);
  await client.query(`DELETE FROM ${S}.audit_log WHERE ${where}`, [...values]);
  await client.query(`DELETE FROM ${S}.audit_batch WHERE ${where}`, [...values]);
  if (withLeaf) await client.query(`DELETE FROM ${S}.audit_leaf WHERE ${where}`, [...values]);
}

/** With a name, for whoever reads a counterexample. */
function told(name: string, mutation: Mutation): Mutation {
  return Object.assign(mutation, { [fc.toStringMethod]: () => name });
}

/** Each way to tamper, by name. */
export const MUTATIONS: Readonly<Record<string, fc.Arbitrary<Mutation>>> = {
  'a column changed': changeColumn,
  'a column emptied': emptyColumn,
  'two columns swapped': swapColumns,
  'a row deleted': deleteRow,
  'a run deleted': deleteRun,
  'a batch deleted': deleteBatch,
  'a writer deleted': deleteWriter,
  'the tail cut': cutTail,
  'a checkpoint replayed': replayCheckpoint,
  'a header edited': editHeader,
  'rows reordered': reorder,
  'a row inserted': insertRow,
  'a batch inserted': insertBatch,
  'a payload changed': changePayload,
  'an anchor noted': changeSubtreeOrAnchor,
};

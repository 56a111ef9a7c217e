import fc from 'fast-check';
import type { Client } from 'pg';
import { headerOf, type BatchRow } from '../../../libs/gatehouse/src/persistence/postgres/ledger/checkpoint.rows.js';
import { headerData } from '../../../libs/gatehouse/src/values/ledger/batch.header.js';
import { leafHash } from '../../../libs/gatehouse/src/values/transparency/merkle.tree.js';
import { pick, S, told, type Mutation } from './mutation.js';

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

const noteAnchor = fc.constant(
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

/** Ways to change batches, the log over them and its checkpoints, by name. */
export const LOG_MUTATIONS: Readonly<Record<string, fc.Arbitrary<Mutation>>> = {
  'a batch deleted': deleteBatch,
  'a writer deleted': deleteWriter,
  'the tail cut': cutTail,
  'a checkpoint replayed': replayCheckpoint,
  'a header edited': editHeader,
  'a batch inserted': insertBatch,
  'an anchor noted': noteAnchor,
};

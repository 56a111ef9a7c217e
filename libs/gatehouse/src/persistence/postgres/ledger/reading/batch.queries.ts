import type { BatchHeader } from '../../../../contracts/ledger.js';
import type { StoredBatch, StoredLeaf, UnsealedBatch } from '../../../../contracts/ports/ledger.reader.js';
import type { TableNames } from '../../table.names.js';
import { leafExpression } from '../leaf.expression.js';
import { bytesOf, type TextRow } from './row.stream.js';

/** Leaves of the global log from `$1` up to `$2`, with the headers they stand for. */
export const leavesQuery = ({ leaf, batch }: TableNames, withHeaders: boolean): string =>
  withHeaders
    ? `SELECT f.log_index, f.writer_id, f.seq, f.hash, ${HEADER} FROM ${leaf} f
        LEFT JOIN ${batch} b ON b.writer_id = f.writer_id AND b.seq = f.seq WHERE f.log_index >= $1 AND f.log_index < $2 ORDER BY f.log_index`
    : `SELECT log_index, writer_id, seq, hash, NULL FROM ${leaf} WHERE log_index >= $1 AND log_index < $2 ORDER BY log_index`;

/** Leaves between `$1` and `$2` that were not written together with the checkpoint of `$2`. */
export const laterLeavesQuery = ({ leaf, checkpoint }: TableNames): string =>
  `SELECT f.log_index, f.writer_id, f.seq, f.hash, NULL FROM ${leaf} f JOIN ${checkpoint} c ON c.tree_size = $2
    WHERE f.log_index >= $1 AND f.log_index < $2 AND f.xmin::text <> c.xmin::text ORDER BY f.log_index LIMIT 2000`;

const HEADER = 'b.count, b.first_id, b.last_id, b.root';

export function leafOf(row: TextRow): StoredLeaf {
  const [index, writerId, seq, hash, ...header] = row;
  return {
    index: Number(index),
    writerId: writerId ?? '',
    seq: Number(seq),
    hash: bytesOf(hash),
    header: headerOf(writerId, seq, header),
  };
}

/** Batches that are in no leaf. */
export const unsealedQuery = ({ leaf, batch }: TableNames): string =>
  `SELECT b.writer_id, b.seq, ${HEADER}, extract(epoch FROM now() - b.recorded_at) * 1000 FROM ${batch} b
    WHERE NOT EXISTS (SELECT FROM ${leaf} f WHERE f.writer_id = b.writer_id AND f.seq = b.seq) ORDER BY b.writer_id, b.seq`;

export function unsealedOf(row: TextRow): UnsealedBatch | undefined {
  const header = headerOf(row[0], row[1], row.slice(2, 6));
  return header && { header, ageMs: Number(row[6]) };
}

/**
 * The batches of a month, each with the leaves of its rows. The leaves are computed where the rows are scanned, OFFSET keeps them there: above
 * the sort they would be computed by one process alone.
 *
 * @param log the records of the month, as what stands in FROM; `$1`, `$2` the month's ids; `$3` the first leaf of the global log that counts, where `isPart`
 */
export function batchesQuery({ leaf, batch }: TableNames, log: string, isPart: boolean): string {
  const since = `SELECT writer_id, max(seq) AS seq FROM ${leaf} WHERE log_index < $3 GROUP BY writer_id`;
  const known = (alias: string): string =>
    isPart
      ? `LEFT JOIN since s ON s.writer_id = ${alias}.writer_id WHERE ${alias}.seq > coalesce(s.seq, 0)`
      : 'WHERE true';
  return `${isPart ? `WITH since AS MATERIALIZED (${since}) ` : ''}
    SELECT coalesce(b.writer_id, g.writer_id), coalesce(b.seq, g.seq), ${HEADER}, g.leaves
    FROM (
      SELECT r.writer_id, r.seq, string_agg(r.part, ''::bytea ORDER BY r.idx) AS leaves
      FROM (
        SELECT l.writer_id, l.seq, l.idx, int4send(l.idx) || uuid_send(l.id) || ${leafExpression('l')} AS part
        FROM ${log} l ${known('l')} OFFSET 0
      ) r GROUP BY r.writer_id, r.seq
    ) g FULL JOIN (
      SELECT b.* FROM ${batch} b ${known('b')} AND b.first_id >= $1 AND b.first_id < $2
    ) b ON b.writer_id = g.writer_id AND b.seq = g.seq
    ORDER BY 1, 2`;
}

export function batchOf(row: TextRow): StoredBatch {
  const [writerId, seq] = row;
  return {
    writerId: writerId ?? '',
    seq: Number(seq),
    header: headerOf(writerId, seq, row.slice(2, 6)),
    rows: bytesOf(row[6]),
  };
}

function headerOf(
  writerId: string | null | undefined,
  seq: string | null | undefined,
  [count, firstId, lastId, root]: TextRow,
): BatchHeader | undefined {
  if (count === null || count === undefined) return undefined;
  return {
    writerId: writerId ?? '',
    seq: Number(seq),
    count: Number(count),
    firstId: firstId ?? '',
    lastId: lastId ?? '',
    root: bytesOf(root),
  };
}

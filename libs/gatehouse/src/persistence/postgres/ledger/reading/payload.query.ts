import type { BadPayload, PayloadFault } from '../../../../contracts/ports/ledger.reader.js';
import type { TableNames } from '../../table.names.js';
import type { TextRow } from './row.stream.js';

const pad = (byte: string): string => `'\\x${byte.repeat(48)}'::bytea`;
const half = (salt: string, from: number, mask: bigint): string =>
  `int8send(('x' || encode(substring(${salt} FROM ${from} FOR 8), 'hex'))::bit(64)::bigint # ${mask})`;
const keyed = (salt: string, byte: string): string => {
  const mask = BigInt(`0x${byte.repeat(8)}`);
  return `${half(salt, 1, mask)} || ${half(salt, 9, mask)} || ${pad(byte)}`;
};

/**
 * SQL for the HMAC-SHA-256 of a payload's body under its salt of 16 bytes (RFC 2104), of built-in functions alone: no extension is needed.
 *
 * @param alias of the table
 */
export const commitmentExpression = (alias: string): string =>
  `sha256(${keyed(`${alias}.salt`, '5c')} || sha256(${keyed(`${alias}.salt`, '36')} || ${alias}.body))`;

/** The records and payloads of one month, as what stands in FROM. */
export interface MonthTables {
  readonly log: string;
  readonly payload: string;
}

/** Each record or payload of a month with a verdict: `bound`, `erased`, or what is wrong. */
function judged(tables: TableNames, { log, payload }: MonthTables, isPart: boolean): string {
  const since = `SELECT writer_id, max(seq) AS seq FROM ${tables.leaf} WHERE log_index < $1 GROUP BY writer_id`;
  const erased = (table: string): string => `SELECT principal_id, run_id, at FROM ${table} WHERE kind = 'erased'`;
  // What waits outside the log is not sealed yet: the report says so, and nothing of the future is taken for an erasure.
  const waiting = `${erased(tables.outbox)} AND at < now() + interval '1 minute'`;
  return `WITH erasures AS MATERIALIZED (${erased(tables.log)} UNION ALL ${waiting}),
    of_principal AS MATERIALIZED (SELECT principal_id, max(at) AS at FROM erasures WHERE principal_id IS NOT NULL GROUP BY principal_id),
    of_run AS MATERIALIZED (SELECT run_id, max(at) AS at FROM erasures WHERE run_id IS NOT NULL GROUP BY run_id),
    since AS MATERIALIZED (${since}),
    judged AS (
      SELECT coalesce(l.id, p.id) AS id, l.writer_id, l.seq, l.idx, CASE
        WHEN l.id IS NULL THEN 'unrecorded'
        WHEN p.id IS NULL THEN CASE WHEN greatest(ep.at, er.at) >= l.at THEN 'erased' ELSE 'missing' END
        WHEN l.payload_commitment IS NULL THEN 'unrecorded'
        WHEN octet_length(p.salt) <> 16 OR ${commitmentExpression('p')} <> l.payload_commitment THEN 'changed'
        WHEN p.organization_id IS DISTINCT FROM l.organization_id THEN 'other organization'
        ELSE 'bound' END AS verdict
      FROM ${log} l FULL JOIN ${payload} p ON p.id = l.id
      LEFT JOIN of_principal ep ON ep.principal_id = l.principal_id
      LEFT JOIN of_run er ON er.run_id = l.run_id
      LEFT JOIN since s ON s.writer_id = l.writer_id
      WHERE (p.id IS NOT NULL OR l.payload_commitment IS NOT NULL)
        AND ${isPart ? `(l.seq IS NULL OR l.seq > coalesce(s.seq, 0))` : '$1::bigint = 0'}
    )`;
}

/** How many of each verdict. `$1` the first leaf of the global log that counts. */
export const payloadCounts = (tables: TableNames, month: MonthTables, isPart: boolean): string =>
  `${judged(tables, month, isPart)} SELECT verdict, count(*) FROM judged GROUP BY verdict`;

/** The first bad ones, at most `$2`. */
export const badPayloads = (tables: TableNames, month: MonthTables, isPart: boolean): string =>
  `${judged(tables, month, isPart)} SELECT id, writer_id, seq, idx, verdict FROM judged
    WHERE verdict NOT IN ('bound', 'erased') ORDER BY id LIMIT $2`;

export function badPayloadOf([id, writerId, seq, idx, fault]: TextRow): BadPayload {
  return {
    id: id ?? '',
    fault: fault as PayloadFault,
    place: !writerId ? undefined : { writerId, seq: Number(seq), idx: Number(idx), id: id ?? '' },
  };
}

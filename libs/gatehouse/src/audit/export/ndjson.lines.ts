import type { LogRecord } from '../../contracts/ports/log.source.js';

/**
 * A record as one line of JSON: its sealed fields under their column names' camel case (absent ones left out), its payload, and its place in the
 * log. With `salt` and `payload` (written by `JSON.stringify`, keys in this order) the commitment can be recomputed; with all of it, the leaf.
 */
export function ndjsonLine({
  record,
  payload,
  erased,
  writerId,
  seq,
  idx,
  payloadCommitment,
  salt,
}: LogRecord): string {
  const fields = Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  );
  return `${JSON.stringify({ record: fields, payload, erased, seal: { writerId, seq, idx, payloadCommitment, salt } })}\n`;
}

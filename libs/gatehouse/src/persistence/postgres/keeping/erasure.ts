import type { ErasureCount, ErasureSubject } from '../../../contracts/ports/evidence.keeping.js';
import { ledgerName } from '../../../values/ledger/ledger.name.js';
import { visibleText } from '../../../values/visible-text.js';
import type { Sql } from '../sql.js';

const AT_ONCE = 1000;
const ENDED = `status NOT IN ('running', 'suspended')`;

/** The subject's runs (alias r), with the parameters. */
function runsOf(subject: ErasureSubject): { readonly where: string; readonly values: readonly unknown[] } {
  return 'runId' in subject
    ? { where: 'r.id = $1', values: [subject.runId] }
    : { where: 'r.principal_id = $1', values: [visibleText(subject.principalId)] };
}

/** The subject's records (alias l). */
function recordsOf(sql: Sql, subject: ErasureSubject): { readonly where: string; readonly values: readonly unknown[] } {
  if ('runId' in subject) return { where: 'l.run_id = $1', values: [subject.runId] };
  return {
    where: `(l.principal_id = $1 OR l.run_id IN (SELECT id FROM ${sql.tables.run} WHERE principal_id = $2))`,
    values: [ledgerName(subject.principalId), visibleText(subject.principalId)],
  };
}

// What the log tells about itself: why something was erased, or held, which archive a month went into.
const SYSTEM = `('erased', 'retention', 'read', 'config', 'writer', 'gap')`;

// Of a run that is not over nothing is erased: it may still need it.
const overOnly = (sql: Sql): string =>
  `l.kind NOT IN ${SYSTEM} AND NOT EXISTS (SELECT FROM ${sql.tables.run} a WHERE a.id = l.run_id AND NOT (a.${ENDED}))`;

export async function countErasable(sql: Sql, subject: ErasureSubject): Promise<ErasureCount> {
  const records = recordsOf(sql, subject);
  const runs = runsOf(subject);
  const payloads = await sql.row<{ count: string }>(
    `SELECT count(*) FROM ${sql.tables.log} l JOIN ${sql.tables.payload} p ON p.id = l.id WHERE ${records.where} AND ${overOnly(sql)}`,
    records.values,
  );
  const counted = await sql.row<{ over: string; active: string }>(
    `SELECT count(*) FILTER (WHERE ${ENDED} AND digest_key <> '') AS over, count(*) FILTER (WHERE NOT (${ENDED})) AS active
      FROM ${sql.tables.run} r WHERE ${runs.where}`,
    runs.values,
  );
  return {
    payloads: Number(payloads?.count ?? 0),
    runs: Number(counted?.over ?? 0),
    activeRuns: Number(counted?.active ?? 0),
  };
}

/** Ended runs of a person with payloads that do not carry that person's id. */
export async function runsToCover(sql: Sql, subject: ErasureSubject): Promise<string[]> {
  if ('runId' in subject) return [];
  const rows = await sql.rows<{ id: string }>(
    `SELECT r.id FROM ${sql.tables.run} r WHERE r.principal_id = $1 AND r.${ENDED} AND (r.digest_key <> '' OR EXISTS (
      SELECT FROM ${sql.tables.log} l JOIN ${sql.tables.payload} p ON p.id = l.id
      WHERE l.run_id = r.id AND l.principal_id IS DISTINCT FROM $2)) ORDER BY r.id`,
    [visibleText(subject.principalId), ledgerName(subject.principalId)],
  );
  return rows.map(({ id }) => id);
}

/** Deletes at most a thousand payloads; how many there were. The database itself refuses those that no recorded erasure covers. */
export async function deletePayloads(sql: Sql, subject: ErasureSubject, recordedAt: Date): Promise<number> {
  const { where, values } = recordsOf(sql, subject);
  const gone = await sql.rows<{ id: string }>(
    `DELETE FROM ${sql.tables.payload} WHERE id IN (
        SELECT p.id FROM ${sql.tables.log} l JOIN ${sql.tables.payload} p ON p.id = l.id WHERE ${where} AND l.at <= $${values.length + 1} AND ${overOnly(sql)} LIMIT ${AT_ONCE})
      RETURNING id`,
    [...values, recordedAt],
  );
  return gone.length;
}

/** Clears what working state keeps of the subject's ended runs; how many runs. The runs themselves stay, as empty shells. */
export async function clearWorkingState(sql: Sql, subject: ErasureSubject): Promise<number> {
  const { where, values } = runsOf(subject);
  const runs = await sql.rows<{ id: string }>(
    `UPDATE ${sql.tables.run} r SET principal = NULL, ip_address = NULL, instructions = NULL, state = '{}', digest_key = '', cancel_reason = NULL
      WHERE ${where} AND ${ENDED} AND digest_key <> '' RETURNING id`,
    values,
  );
  const ids = [runs.map(({ id }) => id)];
  for (const table of [sql.tables.step, sql.tables.event, sql.tables.message]) {
    await sql.run(`DELETE FROM ${table} WHERE run_id = ANY($1::uuid[])`, ids);
  }
  await sql.run(
    `UPDATE ${sql.tables.approval} SET received = '{}', validated = '{}', shown = '{}', summary = NULL, reason = NULL, note = NULL,
        edited_received = CASE WHEN edited_digest IS NOT NULL THEN '{}' END, edited_validated = CASE WHEN edited_digest IS NOT NULL THEN '{}' END,
        edited_shown = CASE WHEN edited_digest IS NOT NULL THEN '{}' END, result = NULL, resolved_note = NULL
      WHERE run_id = ANY($1::uuid[])`,
    ids,
  );
  await sql.run(
    `UPDATE ${sql.tables.deferral} SET shown = '{}', metadata = '{}', result = NULL, result_digest = NULL WHERE run_id = ANY($1::uuid[])`,
    ids,
  );
  await sql.run(
    `UPDATE ${sql.tables.vote} SET reason = NULL, note = NULL WHERE approval_id IN (SELECT id FROM ${sql.tables.approval} WHERE run_id = ANY($1::uuid[]))`,
    ids,
  );
  await sql.run(
    `UPDATE ${sql.tables.approvalEvent} SET detail = NULL WHERE run_id = ANY($1::uuid[]) AND detail IS NOT NULL`,
    ids,
  );
  return runs.length;
}

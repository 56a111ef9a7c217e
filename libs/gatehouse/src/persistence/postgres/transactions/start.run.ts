import type { Ownership, Queueing, StartRunResult } from '../../../contracts/ports/run.store.js';
import type { NewRun } from '../../../contracts/ports/stored.run.js';
import type { RunFrame } from '../../../contracts/run.events.js';
import type { ThreadMessage } from '../../../contracts/thread.message.js';
import { newId } from '../../../values/ids.js';
import { bodyText } from '../../checkpoint/checkpoint.body.js';
import { NO_COUNTERS } from '../../no.counters.js';
import { ownerKey, ownerOf } from '../../owner.key.js';
import { storableRun } from '../../storable/storable.run.js';
import type { Database } from '../database.js';
import { NEW_RUN_COLUMNS, newRunValues, storedRun } from '../rows/run.rows.js';
import { writeFacts } from '../ledger/fact.writes.js';
import { runStartEntry } from '../ledger/run.start.entry.js';
import type { Sql } from '../sql.js';
import type { RunRow, SegmentRow } from '../tables/run.tables.js';
import { lastSeq, writeFrames, writeMessages } from '../writes/run.writes.js';

// Whatever refused a start can be gone before it is looked at; then the start is simply tried again.
const ATTEMPTS = 3;

/** Undoes a start that cannot be; why is read afterwards. */
class Refused extends RangeError {}

/** Stores a run, its thread, its segment, its messages and its first frames; or says why not. */
export async function startRun(
  database: Database,
  wanted: NewRun,
  messages: readonly ThreadMessage[],
  frames: readonly RunFrame[],
  ownership: Ownership | Queueing,
): Promise<StartRunResult> {
  const run = storableRun(wanted);
  const token = newId();
  for (let attempt = 1; attempt < ATTEMPTS; attempt += 1) {
    try {
      const row = await database.factual('start the run', (sql) =>
        insert(sql, run, token, messages, frames, ownership),
      );
      return { started: storedRun(row) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
    const why = await database.statement('start the run', (sql) => refusal(sql, run, token));
    if (why !== undefined) return why;
  }
  return { refused: 'busy' };
}

async function insert(
  sql: Sql,
  run: NewRun,
  token: string,
  messages: readonly ThreadMessage[],
  frames: readonly RunFrame[],
  ownership: Ownership | Queueing,
): Promise<RunRow> {
  const of = ownerOf(run);
  const key = ownerKey(of);
  const values = newRunValues(run, key, of.principalId);
  const at = values.length;
  const { status, epoch, owner, leaseMs } = begun(ownership);
  const row = await sql.row<RunRow>(
    `INSERT INTO ${sql.tables.run} (${NEW_RUN_COLUMNS}, status, epoch, owner, lease_until, step, counters, last_seq, started_at)
      VALUES (${values.map((_, column) => `$${column + 1}`).join(', ')}, $${at + 1}, $${at + 2}, $${at + 3},
        clock_timestamp() + $${at + 4} * interval '1 millisecond', 0, $${at + 5}, $${at + 6}, clock_timestamp())
      ON CONFLICT DO NOTHING RETURNING *`,
    [...values, status, epoch, owner, leaseMs, bodyText(NO_COUNTERS), lastSeq(frames)],
  );
  if (row === undefined) throw new Refused();
  await openThread(sql, run, key, of.principalId);
  const segment = await sql.row(
    `INSERT INTO ${sql.tables.segment} (owner_key, segment, run_id, first_seq, token) VALUES ($1, $2, $3, 1, $4)
      ON CONFLICT DO NOTHING RETURNING run_id`,
    [key, run.segment, run.id, token],
  );
  if (segment === undefined) throw new Refused();
  await writeMessages(sql, run.id, run.threadId, messages);
  await writeFrames(sql, run.id, frames);
  // The token is this attempt's own, so the fact is written once.
  await writeFacts(sql, [runStartEntry(token, run, of.principalId, row.started_at)]);
  return row;
}

const begun = (ownership: Ownership | Queueing) =>
  'owner' in ownership
    ? { status: 'running', epoch: 1, ...ownership }
    : { status: 'queued', epoch: 0, owner: null, leaseMs: ownership.startWithinMs };

async function openThread(sql: Sql, run: NewRun, key: string, principalId: string | undefined): Promise<void> {
  await sql.run(
    `INSERT INTO ${sql.tables.thread} (id, owner_key, organization_id, principal_id, created_at)
      VALUES ($1, $2, $3, $4, clock_timestamp()) ON CONFLICT DO NOTHING`,
    [run.threadId, key, run.organizationId, principalId],
  );
  const mine = await sql.row(`SELECT FROM ${sql.tables.thread} WHERE id = $1 AND owner_key = $2`, [run.threadId, key]);
  if (mine === undefined) throw new Refused();
}

async function refusal(sql: Sql, run: NewRun, token: string): Promise<StartRunResult | undefined> {
  const { tables } = sql;
  const key = ownerKey(ownerOf(run));
  const thread = await sql.row(`SELECT FROM ${tables.thread} WHERE id = $1 AND owner_key <> $2`, [run.threadId, key]);
  if (thread !== undefined) return { refused: 'thread' };
  const segment = await sql.row<SegmentRow>(`SELECT * FROM ${tables.segment} WHERE owner_key = $1 AND segment = $2`, [
    key,
    run.segment,
  ]);
  const known = await sql.row<RunRow>(`SELECT * FROM ${tables.run} WHERE id = $1`, [run.id]);
  // The answer to our own first attempt was lost, the run was not. A whole call that is made again has a new token, but the run's own key.
  const isOurs = segment?.token === token || (segment?.run_id === run.id && known?.digest_key === run.digestKey);
  if (known !== undefined && isOurs) return { started: storedRun(known) };
  if (known !== undefined) return { refused: 'run', runId: run.id };
  if (segment !== undefined) return { refused: 'segment', runId: segment.run_id };
  const busy = await sql.row<{ id: string }>(
    `SELECT id FROM ${tables.run} WHERE thread_id = $1 AND status IN ('queued', 'running', 'suspended') AND parent_run_id IS NULL`,
    [run.threadId],
  );
  return busy === undefined ? undefined : { refused: 'busy', runId: busy.id };
}

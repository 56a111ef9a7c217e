import { LeaseLostError } from '../../../contracts/errors/lease-lost.error.js';
import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { StepProgress } from '../../../contracts/ports/run.store.js';
import type { RunCounters } from '../../../contracts/ports/stored.run.js';
import type { StoredStep } from '../../../contracts/ports/stored.step.js';
import type { RunFrame } from '../../../contracts/run.events.js';
import type { ThreadMessage } from '../../../contracts/thread.message.js';
import { visibleText } from '../../../values/visible-text.js';
import { bodyText } from '../../checkpoint/checkpoint.body.js';
import { frameConflict } from '../../frame.conflict.js';
import type { Sql } from '../sql.js';
import type { RunRow } from '../tables/run.tables.js';
import { writeOperations } from '../ledger/fact.writes.js';

/** The fence of an owner's write that leaves the run's row as it is. @throws LeaseLostError */
export async function fence(sql: Sql, { runId, epoch }: Fence): Promise<Pick<RunRow, 'digest_key' | 'cancel_source'>> {
  const run = await sql.row<Pick<RunRow, 'digest_key' | 'cancel_source'>>(
    `SELECT digest_key, cancel_source FROM ${sql.tables.run} WHERE id = $1 AND epoch = $2 AND status = 'running' FOR SHARE`,
    [runId, epoch],
  );
  if (run === undefined) throw new LeaseLostError(runId);
  return run;
}

/** Locks a run's row for a change; nothing for an unknown run. */
export function lockRun(sql: Sql, runId: string): Promise<RunRow | undefined> {
  return sql.row<RunRow>(`SELECT * FROM ${sql.tables.run} WHERE id = $1 FOR NO KEY UPDATE`, [runId]);
}

/** The fence, taken by the change itself: the last `seq`, and where given the step and counters. @throws LeaseLostError */
export async function advance(
  sql: Sql,
  { runId, epoch }: Fence,
  to: { readonly frames: readonly RunFrame[]; readonly step?: number; readonly counters?: RunCounters },
): Promise<{ readonly thread_id: string }> {
  const run = await sql.row<{ thread_id: string }>(
    `UPDATE ${sql.tables.run} SET last_seq = greatest(last_seq, $3), step = greatest(step, $4), counters = coalesce($5, counters)
      WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING thread_id`,
    [runId, epoch, lastSeq(to.frames), to.step ?? 0, to.counters === undefined ? null : bodyText(to.counters)],
  );
  if (run === undefined) throw new LeaseLostError(runId);
  return run;
}

/** The highest `seq` of the frames; 0 without any. */
export const lastSeq = (frames: readonly RunFrame[]): number =>
  frames.reduce((most, { seq }) => Math.max(most, seq), 0);

/** Stores frames; the same frame twice is one. @throws RangeError where a stored one says something else */
export async function writeFrames(sql: Sql, runId: string, frames: readonly RunFrame[]): Promise<void> {
  if (frames.length === 0) return;
  const seqs = frames.map(({ seq }) => seq);
  const events = frames.map(({ event }) => JSON.stringify(event));
  const written = await sql.rows<{ seq: number }>(
    `INSERT INTO ${sql.tables.event} (run_id, seq, event, at)
      SELECT $1, seq, event, clock_timestamp() FROM unnest($2::integer[], $3::text[]) AS f(seq, event)
      ON CONFLICT DO NOTHING RETURNING seq`,
    [runId, seqs, events],
  );
  if (written.length < frames.length) await compareFrames(sql, runId, frames);
}

async function compareFrames(sql: Sql, runId: string, frames: readonly RunFrame[]): Promise<void> {
  const other = await sql.row<{ seq: number }>(
    `SELECT e.seq FROM ${sql.tables.event} e JOIN unnest($2::integer[], $3::text[]) AS f(seq, event) ON f.seq = e.seq
      WHERE e.run_id = $1 AND e.event <> f.event ORDER BY e.seq LIMIT 1`,
    [runId, frames.map(({ seq }) => seq), frames.map(({ event }) => JSON.stringify(event))],
  );
  if (other !== undefined) throw frameConflict(runId, other.seq);
}

/** Stores messages at the thread's end; the same message of the same run twice is one. */
export async function writeMessages(
  sql: Sql,
  runId: string,
  threadId: string,
  messages: readonly ThreadMessage[],
): Promise<void> {
  if (messages.length === 0) return;
  await sql.run(
    `INSERT INTO ${sql.tables.message} (thread_id, run_id, message_id, body)
      SELECT $2, $1, m.id, m.body FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS m(id, body, ordinality)
      WHERE NOT EXISTS (SELECT FROM ${sql.tables.message} o WHERE o.thread_id = $2 AND o.run_id = $1
        AND o.message_id = m.id AND o.body = m.body)
      ORDER BY ordinality`,
    [runId, threadId, messages.map(({ id }) => visibleText(id)), messages.map((message) => bodyText(message))],
  );
}

/** Stores a step: `first` keeps one that is there, `last` replaces it. */
export async function writeStep(sql: Sql, runId: string, step: StoredStep, keep: 'first' | 'last'): Promise<void> {
  const conflict = keep === 'first' ? 'DO NOTHING' : '(run_id, step) DO UPDATE SET body = excluded.body';
  await sql.run(`INSERT INTO ${sql.tables.step} (run_id, step, body) VALUES ($1, $2, $3) ON CONFLICT ${conflict}`, [
    runId,
    step.step,
    bodyText(step),
  ]);
}

/** Everything that changed with a step, but for the run's own row. */
export async function writeProgress(
  sql: Sql,
  runId: string,
  threadId: string,
  progress: Pick<StepProgress, 'messages' | 'operations'> & { readonly step?: StoredStep },
  frames: readonly RunFrame[],
): Promise<void> {
  if (progress.step !== undefined) await writeStep(sql, runId, progress.step, 'last');
  await writeMessages(sql, runId, threadId, progress.messages);
  await writeOperations(sql, progress.operations);
  await writeFrames(sql, runId, frames);
}

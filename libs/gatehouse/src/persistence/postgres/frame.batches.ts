import { setTimeout as pause } from 'node:timers/promises';

import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import type { Fence } from '../../contracts/ports/run.fence.js';
import type { RunFrame } from '../../contracts/run.events.js';
import { isUuid } from '../../values/ids.js';
import { frameConflict } from '../frame.conflict.js';
import type { Database } from './database.js';
import type { Sql } from './sql.js';
import { lastSeq } from './writes/run.writes.js';

/** One run's events that wait to be stored. */
interface Waiting {
  readonly fence: Fence;
  readonly frames: readonly RunFrame[];
  readonly stored: () => void;
  readonly failed: (error: unknown) => void;
}

const ACTION = 'store the events of a run';
const MOST_RUNS = 500;
/** In milliseconds, between two batches of several runs. */
const BREATH = 5;

/**
 * Stores the events of many runs in one statement: hundreds of runs that speak at once would otherwise each wait for a transaction of its own. What is asked
 * for while a batch is on its way makes up the next one.
 */
export class FrameBatches {
  private waiting: Waiting[] = [];
  private writing = false;

  constructor(private readonly database: Database) {}

  /** @throws LeaseLostError, and RangeError where a stored frame says something else */
  append(fence: Fence, frames: readonly RunFrame[]): Promise<void> {
    if (!isUuid(fence.runId)) return Promise.reject(new LeaseLostError(fence.runId));
    return new Promise((stored, failed) => {
      this.waiting.push({ fence, frames, stored, failed });
      if (this.writing) return;
      this.writing = true;
      // Not at once: who else speaks in this turn of the loop comes along.
      setImmediate(() => void this.write());
    });
  }

  private async write(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.take();
      await this.store(batch);
      // Where many speak, a moment more brings many more of them into one statement.
      if (batch.length > 1) await pause(BREATH);
    }
    this.writing = false;
  }

  /** The next batch: each run once, for a statement changes a row once. */
  private take(): readonly Waiting[] {
    const batch = new Map<string, Waiting>();
    const later: Waiting[] = [];
    for (const one of this.waiting) {
      if (batch.size < MOST_RUNS && !batch.has(one.fence.runId)) batch.set(one.fence.runId, one);
      else later.push(one);
    }
    this.waiting = later;
    return [...batch.values()];
  }

  /** Never rejects: each hears what became of its own. */
  private async store(batch: readonly Waiting[]): Promise<void> {
    try {
      const problems = await this.database.statement(ACTION, (sql) => this.together(sql, batch));
      for (const one of batch) {
        const problem = problems.get(one.fence.runId);
        if (problem === undefined) one.stored();
        else one.failed(problem);
      }
    } catch (error) {
      const [first, ...others] = batch;
      if (others.length === 0) first?.failed(error);
      // One run's trouble is not that of the others.
      else await Promise.all(batch.map((one) => this.store([one])));
    }
  }

  /** What went wrong for some of the runs. */
  private async together(sql: Sql, batch: readonly Waiting[]): Promise<ReadonlyMap<string, Error>> {
    const { run, event } = sql.tables;
    const all = batch.flatMap(({ fence, frames }) => frames.map((frame) => ({ runId: fence.runId, frame })));
    // Runs locked in the order of their ids, like every other transaction that locks several. Of one whose stored frames say something else, nothing is
    // written.
    const owned = await sql.rows<{ id: string; differs: number | null }>(
      `WITH said AS (SELECT * FROM unnest($4::uuid[], $5::integer[], $6::text[]) AS f(run_id, seq, event)),
        mine AS (
          SELECT r.id, a.seq FROM ${run} r JOIN unnest($1::uuid[], $2::integer[], $3::integer[]) AS a(id, epoch, seq)
            ON a.id = r.id AND a.epoch = r.epoch WHERE r.status = 'running' ORDER BY r.id FOR NO KEY UPDATE OF r),
        different AS (
          SELECT f.run_id, min(f.seq) AS seq FROM said f JOIN ${event} e ON e.run_id = f.run_id AND e.seq = f.seq
            WHERE e.event <> f.event GROUP BY f.run_id),
        right_ones AS (SELECT id, seq FROM mine WHERE id NOT IN (SELECT run_id FROM different)),
        advanced AS (UPDATE ${run} r SET last_seq = greatest(r.last_seq, o.seq) FROM right_ones o WHERE r.id = o.id),
        written AS (
          INSERT INTO ${event} (run_id, seq, event, at) SELECT run_id, seq, event, clock_timestamp() FROM said
            WHERE run_id IN (SELECT id FROM right_ones) ON CONFLICT DO NOTHING)
        SELECT mine.id, d.seq AS differs FROM mine LEFT JOIN different d ON d.run_id = mine.id`,
      [
        batch.map(({ fence }) => fence.runId),
        batch.map(({ fence }) => fence.epoch),
        batch.map(({ frames }) => lastSeq(frames)),
        all.map(({ runId }) => runId),
        all.map(({ frame }) => frame.seq),
        all.map(({ frame }) => JSON.stringify(frame.event)),
      ],
    );
    const problems = new Map<string, Error>(batch.map(({ fence: { runId } }) => [runId, new LeaseLostError(runId)]));
    for (const { id, differs } of owned) {
      if (differs === null) problems.delete(id);
      else problems.set(id, frameConflict(id, differs));
    }
    return problems;
  }
}

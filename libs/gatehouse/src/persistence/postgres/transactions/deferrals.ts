import type { Fence } from '../../../contracts/ports/run.fence.js';
import type {
  AnswersResult,
  NewAnswer,
  NewDeferral,
  StoredDeferral,
} from '../../../contracts/ports/stored.deferral.js';
import type { StoredResult } from '../../../contracts/ports/stored.step.js';
import { isUuid } from '../../../values/ids.js';
import { isKept, judgeAnswers } from '../../answer.judgement.js';
import { storableAnswer, storableDeferral } from '../../storable/storable.deferral.js';
import { storedDeferral } from '../rows/deferral.rows.js';
import type { Sql } from '../sql.js';
import type { DeferralRow } from '../tables/deferral.tables.js';
import { fence, lockRun } from '../writes/run.writes.js';

/** Stores that a call was handed on; the same operation again is the same call. */
export async function deferCall(
  sql: Sql,
  of: Fence,
  wanted: NewDeferral,
  withdrawn: StoredResult,
): Promise<StoredDeferral> {
  const call = storableDeferral(wanted);
  await fence(sql, of);
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'done', result = $3
      WHERE run_id = $1 AND operation_id = $2 AND status = 'executing'`,
    [of.runId, call.operationId, JSON.stringify(withdrawn)],
  );
  await sql.run(
    `INSERT INTO ${sql.tables.deferral} (operation_id, run_id, tool_call_id, tool_name, shown, arguments_digest, metadata, executed,
        status, requested_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'open', clock_timestamp()) ON CONFLICT DO NOTHING`,
    [
      call.operationId,
      of.runId,
      call.toolCallId,
      call.toolName,
      JSON.stringify(call.args),
      call.argumentsDigest,
      JSON.stringify(call.metadata),
      call.executed === true,
    ],
  );
  const row = await sql.row<DeferralRow>(`SELECT * FROM ${sql.tables.deferral} WHERE operation_id = $1`, [
    call.operationId,
  ]);
  if (row === undefined) throw new TypeError(`Deferred call ${call.operationId} was stored and cannot be gone.`);
  return storedDeferral(row);
}

/** All results or none. Suspending and the last result meet at the run's row. */
export async function answerCalls(sql: Sql, runId: string, wanted: readonly NewAnswer[]): Promise<AnswersResult> {
  const answers = wanted.map(storableAnswer);
  const run = isUuid(runId) ? await lockRun(sql, runId) : undefined;
  if (run === undefined) return { accepted: false, verdicts: answers.map(() => 'unknown') };
  const rows = await sql.rows<DeferralRow>(
    `SELECT * FROM ${sql.tables.deferral} WHERE run_id = $1 ORDER BY operation_id FOR UPDATE`,
    [runId],
  );
  const verdicts = judgeAnswers(new Map(rows.map((row) => [row.operation_id, storedDeferral(row)])), answers);
  const accepted = verdicts.every(isKept);
  if (accepted) {
    for (const [at, answer] of answers.entries()) if (verdicts[at] === 'recorded') await keep(sql, answer);
  }
  return { accepted, verdicts };
}

async function keep(sql: Sql, { operationId, result, resultDigest, answeredBy }: NewAnswer): Promise<void> {
  await sql.run(
    `UPDATE ${sql.tables.deferral} SET status = 'answered', result = $2, result_digest = $3, answered_by = $4,
        answered_at = clock_timestamp() WHERE operation_id = $1 AND status = 'open'`,
    [operationId, JSON.stringify(result), resultDigest, answeredBy],
  );
}

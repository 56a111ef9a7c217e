import { UNSEALED, type ApprovalSealing } from '../../../contracts/ports/approval.sealing.js';
import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { NewApproval, StoredApproval } from '../../../contracts/ports/stored.approval.js';
import { storedApproval } from '../rows/approval.rows.js';
import type { Sql } from '../sql.js';
import { readApprovals } from '../writes/approval.writes.js';
import { fence } from '../writes/run.writes.js';

/** Stores that a call waits; the same id again is the same request. */
export async function requestApproval(
  sql: Sql,
  of: Fence,
  asked: NewApproval,
  sealing: ApprovalSealing = UNSEALED,
): Promise<StoredApproval> {
  await fence(sql, of);
  const [before] = await readApprovals(sql, [asked.id]);
  if (before !== undefined) return storedApproval(before);
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'superseded', decided_at = coalesce(decided_at, clock_timestamp())
      WHERE run_id = $1 AND operation_id = $2 AND status IN ('pending', 'approved', 'executing')`,
    [of.runId, asked.operationId],
  );
  await insert(sql, of.runId, asked, sealing);
  const [stored] = await readApprovals(sql, [asked.id]);
  if (stored === undefined) throw new TypeError(`Approval ${asked.id} was stored and cannot be gone.`);
  return storedApproval(stored);
}

async function insert(sql: Sql, runId: string, asked: NewApproval, sealing: ApprovalSealing): Promise<void> {
  await sql.run(
    `INSERT INTO ${sql.tables.approval} (id, run_id, thread_id, operation_id, tool_call_id, tool_name, tool_fingerprint, received, validated,
        arguments_digest, shown, hidden, summary, risk, organization_id, requested_by, approvers, quorum, editable, status,
        execute_within_ms, request_seal, executed, requested_at, expires_at)
      SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, 'pending', $20, $22, $23,
        now.at, now.at + $21 * interval '1 millisecond' FROM (SELECT clock_timestamp()::timestamptz(3) AS at) now`,
    [
      asked.id,
      runId,
      asked.threadId,
      asked.operationId,
      asked.toolCallId,
      asked.toolName,
      asked.toolFingerprint,
      asked.received,
      asked.validated,
      asked.argumentsDigest,
      JSON.stringify(asked.shown),
      JSON.stringify(asked.hidden),
      asked.summary,
      asked.risk,
      asked.organizationId,
      asked.requestedBy,
      JSON.stringify(asked.approvers),
      asked.approvers.quorum ?? 1,
      JSON.stringify(asked.editable),
      asked.executeWithinMs,
      asked.expiresInMs,
      sealing.request({ ...asked, runId, args: asked.shown }),
      asked.executed,
    ],
  );
}

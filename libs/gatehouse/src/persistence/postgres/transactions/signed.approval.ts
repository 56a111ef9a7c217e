import { UNSEALED, type ApprovalSealing } from '../../../contracts/ports/approval.sealing.js';
import { approvalRequest, type FullApprovalRow } from '../rows/approval.rows.js';
import type { Sql } from '../sql.js';
import { readApprovals } from '../writes/approval.writes.js';

// `executing` too: a claim whose answer was lost is made again, and is believed by its token.
const CLAIMABLE: ReadonlySet<string> = new Set(['approved', 'executing']);

/** Whether an approval that is claimed, or could be, is signed as it stands. Its row stays locked; one that nobody could claim needs no signature. */
export async function isSigned(
  sql: Sql,
  runId: string,
  approvalId: string,
  sealing: ApprovalSealing,
): Promise<boolean> {
  if (sealing === UNSEALED) return true;
  await sql.run(`SELECT id FROM ${sql.tables.approval} WHERE id = $1 FOR UPDATE`, [approvalId]);
  const [row] = await readApprovals(sql, [approvalId]);
  if (row === undefined || row.run_id !== runId || !CLAIMABLE.has(row.status)) return true;
  return isOurRequest(row, sealing) && isOurDecision(row, sealing);
}

function isOurRequest(row: FullApprovalRow, sealing: ApprovalSealing): boolean {
  const { tool_fingerprint: toolFingerprint, request_seal: seal } = row;
  return sealing.isRequest({ ...approvalRequest(row), toolFingerprint }, seal);
}

function isOurDecision(row: FullApprovalRow, sealing: ApprovalSealing): boolean {
  const { decided_at: decidedAt, execute_before: executeBefore } = row;
  if (decidedAt === null || executeBefore === null) return false;
  const decided = {
    approvalId: row.id,
    runId: row.run_id,
    operationId: row.operation_id,
    toolName: row.tool_name,
    argumentsDigest: row.edited_digest ?? row.arguments_digest,
    decidedBy: row.votes.filter(({ approved }) => approved).map(({ principalId }) => principalId),
    decidedAt,
    executeBefore,
  };
  return sealing.isDecision(decided, row.decision_seal);
}

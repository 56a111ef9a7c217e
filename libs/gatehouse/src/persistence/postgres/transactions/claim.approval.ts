import { ApprovalConflictError } from '../../../contracts/errors/approval-conflict.error.js';
import { ApprovalNotFoundError } from '../../../contracts/errors/approval-not-found.error.js';
import { UNSEALED, type ApprovalSealing } from '../../../contracts/ports/approval.sealing.js';
import type { Fence } from '../../../contracts/ports/run.fence.js';
import type { ApprovalClaim, ClaimVerdict } from '../../../contracts/ports/run.store.js';
import type { StoredApproval } from '../../../contracts/ports/stored.approval.js';
import type { StoredResult } from '../../../contracts/ports/stored.step.js';
import { isUuid } from '../../../values/ids.js';
import { sanitizeText } from '../../../values/sanitizer.js';
import { resolvedResult } from '../../resolution.result.js';
import { storedApproval } from '../rows/approval.rows.js';
import type { Sql } from '../sql.js';
import type { ApprovalRow } from '../tables/approval.tables.js';
import { readApprovals } from '../writes/approval.writes.js';
import { fence } from '../writes/run.writes.js';
import { isSigned } from './signed.approval.js';

/** One claim buys one start; the same token again is the same claim. */
export async function claimApproval(
  sql: Sql,
  of: Fence,
  claim: ApprovalClaim,
  sealing: ApprovalSealing = UNSEALED,
): Promise<ClaimVerdict> {
  const run = await fence(sql, of);
  if (!isUuid(claim.approvalId)) return 'refused';
  if (!(await isSigned(sql, of.runId, claim.approvalId, sealing))) return forged(sql, claim.approvalId);
  const keys = [claim.approvalId, of.runId, claim.argumentsDigest, claim.claimToken];
  const mine = await sql.row(
    `UPDATE ${sql.tables.approval} SET status = 'executing', claim_token = $4, claimed_at = clock_timestamp()
      WHERE id = $1 AND run_id = $2 AND coalesce(edited_digest, arguments_digest) = $3
        AND status = 'approved' AND execute_before > clock_timestamp() AND $5::boolean
        AND NOT EXISTS (SELECT FROM ${sql.tables.approvalEvent} e WHERE e.approval_id = $1 AND e.kind = 'claimed') RETURNING id`,
    [...keys, run.cancel_source === null],
  );
  if (mine !== undefined) return 'claimed';
  const before = await sql.row(
    `SELECT FROM ${sql.tables.approval} WHERE id = $1 AND run_id = $2 AND coalesce(edited_digest, arguments_digest) = $3
        AND status = 'executing' AND claim_token = $4`,
    keys,
  );
  return before === undefined ? 'refused' : 'claimed';
}

// It must not look as if somebody could still use it.
async function forged(sql: Sql, approvalId: string): Promise<'forged'> {
  await sql.run(`UPDATE ${sql.tables.approval} SET status = 'superseded' WHERE id = $1 AND status = 'approved'`, [
    approvalId,
  ]);
  return 'forged';
}

/** The outcome of a claimed call; the first one stays. */
export async function settleClaim(sql: Sql, of: Fence, approvalId: string, result: StoredResult): Promise<void> {
  await fence(sql, of);
  if (!isUuid(approvalId)) throw new ApprovalNotFoundError(approvalId);
  const done = await sql.row(
    `UPDATE ${sql.tables.approval} SET status = 'done', result = $3 WHERE id = $1 AND run_id = $2 AND status = 'executing' RETURNING id`,
    [approvalId, of.runId, JSON.stringify(result)],
  );
  if (done !== undefined) return;
  const stands = await sql.row<Pick<ApprovalRow, 'status'>>(
    `SELECT status FROM ${sql.tables.approval} WHERE id = $1 AND run_id = $2`,
    [approvalId, of.runId],
  );
  if (stands === undefined) throw new ApprovalNotFoundError(approvalId);
  if (stands.status !== 'done') throw new ApprovalConflictError(approvalId, stands.status);
}

/** Writes a person's word on a lost outcome; nothing where there is none to resolve. */
export async function resolveClaim(
  sql: Sql,
  approvalId: string,
  outcome: 'ran' | 'did-not-run',
  by: string,
  note: string,
): Promise<StoredApproval | undefined> {
  if (!isUuid(approvalId)) return undefined;
  const said = [outcome, sanitizeText(by), sanitizeText(note)];
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'done', resolved_outcome = $2, resolved_by = $3, resolved_note = $4,
        resolved_at = clock_timestamp(), result = $5 WHERE id = $1 AND status = 'unknown'`,
    [approvalId, ...said, JSON.stringify(resolvedResult(outcome, sanitizeText(note)))],
  );
  const [row] = await readApprovals(sql, [approvalId]);
  const isTheirs = row?.resolved_outcome === said[0] && row?.resolved_by === said[1] && row?.resolved_note === said[2];
  return row !== undefined && isTheirs ? storedApproval(row) : undefined;
}

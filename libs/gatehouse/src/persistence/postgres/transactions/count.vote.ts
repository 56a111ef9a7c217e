import type { ApproverPolicy } from '../../../contracts/approval.policy.js';
import type { ApprovalSealing } from '../../../contracts/ports/approval.sealing.js';
import type { NewVote } from '../../../contracts/ports/stored.approval.js';
import { parsed } from '../rows/json.text.js';
import type { Sql } from '../sql.js';
import type { ApprovalRow, VoteRow } from '../tables/approval.tables.js';

type Asked = Pick<ApprovalRow, 'arguments_digest' | 'approvers'>;
type Decided = Pick<
  ApprovalRow,
  'id' | 'run_id' | 'operation_id' | 'tool_name' | 'arguments_digest' | 'edited_digest'
> & { readonly decided_at: Date; readonly execute_before: Date };

/** Counts one vote on a locked, pending approval: the vote, then in a new statement the count, then the decision. */
export async function countVote(sql: Sql, vote: NewVote, sealing: ApprovalSealing): Promise<void> {
  const asked = await sql.row<Asked>(`SELECT arguments_digest, approvers FROM ${sql.tables.approval} WHERE id = $1`, [
    vote.approvalId,
  ]);
  const argumentsDigest = asked?.arguments_digest ?? '';
  const seal = vote.approved ? sealing.vote({ ...vote, argumentsDigest }) : undefined;
  await sql.run(
    `INSERT INTO ${sql.tables.vote} (approval_id, principal_id, approved, reason, note, at, seal)
      VALUES ($1, $2, $3, $4, $5, clock_timestamp(), $6)`,
    [vote.approvalId, vote.principalId, vote.approved, vote.reason, vote.note, seal],
  );
  if (!vote.approved) return deny(sql, vote);
  const yes = await approving(sql, vote.approvalId, argumentsDigest, sealing);
  // The policy itself is what was signed, not the column that was made of it.
  if (yes.length < (parsed<ApproverPolicy>(asked?.approvers ?? '{}').quorum ?? 1)) return;
  const decided = await approve(sql, vote);
  if (decided !== undefined) await signDecision(sql, decided, yes, sealing);
}

async function deny(sql: Sql, vote: NewVote): Promise<void> {
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'denied', decision = false, decided_at = clock_timestamp(), reason = $2, note = $3
      WHERE id = $1 AND status = 'pending'`,
    [vote.approvalId, vote.reason, vote.note],
  );
}

/** Who has said yes; a row that somebody else wrote is nobody's word. */
async function approving(
  sql: Sql,
  approvalId: string,
  argumentsDigest: string,
  sealing: ApprovalSealing,
): Promise<string[]> {
  const votes = await sql.rows<Pick<VoteRow, 'principal_id' | 'seal'>>(
    `SELECT principal_id, seal FROM ${sql.tables.vote} WHERE approval_id = $1 AND approved ORDER BY principal_id`,
    [approvalId],
  );
  return votes
    .filter(({ principal_id: principalId, seal }) => sealing.isVote({ approvalId, principalId, argumentsDigest }, seal))
    .map(({ principal_id }) => principal_id);
}

function approve(sql: Sql, { approvalId, reason, note, edited }: NewVote): Promise<Decided | undefined> {
  return sql.row<Decided>(
    `UPDATE ${sql.tables.approval} a SET status = 'approved', decision = true, decided_at = now.at, reason = $2, note = $3,
        execute_before = now.at + execute_within_ms * interval '1 millisecond',
        edited_received = $4, edited_validated = $5, edited_digest = $6, edited_shown = $7, edited_hidden = $8
      FROM (SELECT clock_timestamp()::timestamptz(3) AS at) now
      WHERE id = $1 AND status = 'pending'
      RETURNING id, run_id, operation_id, tool_name, arguments_digest, edited_digest, decided_at, execute_before`,
    [
      approvalId,
      reason,
      note,
      edited?.received,
      edited?.validated,
      edited?.argumentsDigest,
      edited === undefined ? null : JSON.stringify(edited.shown),
      edited === undefined ? null : JSON.stringify(edited.hidden),
    ],
  );
}

async function signDecision(
  sql: Sql,
  decided: Decided,
  decidedBy: readonly string[],
  sealing: ApprovalSealing,
): Promise<void> {
  const seal = sealing.decision({
    approvalId: decided.id,
    runId: decided.run_id,
    operationId: decided.operation_id,
    toolName: decided.tool_name,
    argumentsDigest: decided.edited_digest ?? decided.arguments_digest,
    decidedBy,
    decidedAt: decided.decided_at,
    executeBefore: decided.execute_before,
  });
  if (seal === undefined) return;
  await sql.run(`UPDATE ${sql.tables.approval} SET decision_seal = $2 WHERE id = $1`, [decided.id, seal]);
}

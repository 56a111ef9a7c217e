import type { NewVote } from '../../../contracts/ports/stored.approval.js';
import type { Sql } from '../sql.js';

/** Counts one vote on a locked, pending approval: the vote, then in a new statement the count, then the decision. */
export async function countVote(sql: Sql, vote: NewVote): Promise<void> {
  await sql.run(
    `INSERT INTO ${sql.tables.vote} (approval_id, principal_id, approved, reason, note, at)
      VALUES ($1, $2, $3, $4, $5, clock_timestamp())`,
    [vote.approvalId, vote.principalId, vote.approved, vote.reason, vote.note],
  );
  await (vote.approved ? approve(sql, vote) : deny(sql, vote));
}

async function deny(sql: Sql, vote: NewVote): Promise<void> {
  await sql.run(
    `UPDATE ${sql.tables.approval} SET status = 'denied', decision = false, decided_at = clock_timestamp(), reason = $2, note = $3
      WHERE id = $1 AND status = 'pending'`,
    [vote.approvalId, vote.reason, vote.note],
  );
}

async function approve(sql: Sql, { approvalId, reason, note, edited }: NewVote): Promise<void> {
  await sql.run(
    `UPDATE ${sql.tables.approval} a SET status = 'approved', decision = true, decided_at = now.at, reason = $2, note = $3,
        execute_before = now.at + execute_within_ms * interval '1 millisecond',
        edited_received = $4, edited_validated = $5, edited_digest = $6, edited_shown = $7, edited_hidden = $8
      FROM (SELECT clock_timestamp()::timestamptz(3) AS at) now
      WHERE id = $1 AND status = 'pending'
        AND quorum <= (SELECT count(*) FROM ${sql.tables.vote} v WHERE v.approval_id = a.id AND v.approved)`,
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

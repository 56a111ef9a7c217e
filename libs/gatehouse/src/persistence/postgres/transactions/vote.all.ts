import { UNSEALED, type ApprovalSealing } from '../../../contracts/ports/approval.sealing.js';
import type { NewVote, VoteResult, VotesResult, VoteVerdict } from '../../../contracts/ports/stored.approval.js';
import { isUuid } from '../../../values/ids.js';
import { storableVote } from '../../storable/storable.approval.js';
import { isAcceptable, judgeVotes } from '../../vote.judgement.js';
import { judgedApproval, storedApproval } from '../rows/approval.rows.js';
import type { Sql } from '../sql.js';
import { lockApprovals, readApprovals } from '../writes/approval.writes.js';
import { waitsForNobody } from '../writes/deferral.writes.js';
import { countVote } from './count.vote.js';

/** All votes or none; deadlines that have passed are marked in either case. */
export async function voteAll(
  sql: Sql,
  wanted: readonly NewVote[],
  sealing: ApprovalSealing = UNSEALED,
): Promise<VotesResult> {
  const votes = wanted.map(storableVote);
  const ids = [...new Set(votes.map(({ approvalId }) => approvalId.toLowerCase()).filter(isUuid))];
  const runIds = await lockRuns(sql, ids);
  await lockApprovals(sql, ids);
  const rows = await readApprovals(sql, ids);
  const verdicts = judgeVotes(new Map(rows.map((row) => [row.id, judgedApproval(row)])), votes);
  const accepted = verdicts.every(isAcceptable);
  if (accepted) {
    for (const [at, vote] of votes.entries()) if (verdicts[at] === 'recorded') await countVote(sql, vote, sealing);
  }
  return {
    accepted,
    votes: await results(sql, ids, votes, verdicts),
    ready: accepted ? await readyRuns(sql, runIds) : [],
  };
}

// Runs before approvals, each in the order of their ids: suspend and the last decision meet at the run's row.
async function lockRuns(sql: Sql, approvalIds: readonly string[]): Promise<string[]> {
  const runs = await sql.rows<{ id: string }>(
    `SELECT id FROM ${sql.tables.run} WHERE id IN (SELECT run_id FROM ${sql.tables.approval} WHERE id = ANY($1::uuid[]))
      ORDER BY id FOR NO KEY UPDATE`,
    [approvalIds],
  );
  return runs.map(({ id }) => id);
}

async function results(
  sql: Sql,
  ids: readonly string[],
  votes: readonly NewVote[],
  verdicts: readonly VoteVerdict[],
): Promise<VoteResult[]> {
  const stored = new Map((await readApprovals(sql, ids)).map((row) => [row.id, storedApproval(row)]));
  return votes.map(({ approvalId }, at): VoteResult => {
    const approval = stored.get(approvalId);
    return { verdict: verdicts[at] ?? 'unknown', ...(approval === undefined ? {} : { approval }) };
  });
}

async function readyRuns(sql: Sql, runIds: readonly string[]): Promise<string[]> {
  const ready = await sql.rows<{ id: string }>(
    `SELECT id FROM ${sql.tables.run} r WHERE id = ANY($1::uuid[]) AND status = 'suspended' AND ${waitsForNobody(sql)}
      ORDER BY id`,
    [runIds],
  );
  return ready.map(({ id }) => id);
}

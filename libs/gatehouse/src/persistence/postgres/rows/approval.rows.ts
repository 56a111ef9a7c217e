import type { ApprovalRequest, ApprovalVote } from '../../../contracts/approval.js';
import type { JsonValue } from '../../../contracts/json.js';
import type { StoredApproval } from '../../../contracts/ports/stored.approval.js';
import type { StoredResult } from '../../../contracts/ports/stored.step.js';
import type { JudgedApproval } from '../../vote.judgement.js';
import type { ApprovalRow } from '../tables/approval.tables.js';
import type { TableNames } from '../table.names.js';
import { parsed, present } from './json.text.js';

interface VoteJson {
  readonly principalId: string;
  readonly approved: boolean;
  readonly reason: string | null;
  readonly note: string | null;
  readonly at: string;
}

/** What the view `approval` shows: nothing exact. */
export interface ShownApprovalRow extends Pick<
  ApprovalRow,
  | 'id'
  | 'run_id'
  | 'thread_id'
  | 'operation_id'
  | 'tool_call_id'
  | 'tool_name'
  | 'shown'
  | 'hidden'
  | 'arguments_digest'
  | 'summary'
  | 'risk'
  | 'status'
  | 'organization_id'
  | 'requested_at'
  | 'requested_by'
  | 'expires_at'
  | 'decision'
  | 'decided_at'
  | 'reason'
  | 'note'
  | 'edited_shown'
  | 'approvers'
  | 'editable'
> {
  readonly votes: readonly VoteJson[];
}

/** A whole approval with its votes and its run's digest key. */
export interface FullApprovalRow extends ApprovalRow, Pick<ShownApprovalRow, 'votes'> {
  readonly digest_key: string;
}

/** Selects `FullApprovalRow`s; the caller adds WHERE (alias `a`). */
export const selectApprovals = ({ approval, run, vote }: TableNames): string => `SELECT a.*, r.digest_key,
    (SELECT coalesce(json_agg(json_build_object('principalId', v.principal_id, 'approved', v.approved, 'reason', v.reason,
      'note', v.note, 'at', v.at) ORDER BY v.at, v.principal_id), '[]'::json) FROM ${vote} v WHERE v.approval_id = a.id) AS votes
  FROM ${approval} a JOIN ${run} r ON r.id = a.run_id`;

/** An approval as working state shows it. */
export function storedApproval(row: FullApprovalRow): StoredApproval {
  return Object.freeze({
    ...approvalRequest({ ...row, arguments_digest: row.edited_digest ?? row.arguments_digest }),
    toolFingerprint: row.tool_fingerprint,
    received: row.edited_received ?? row.received,
    validated: row.edited_validated ?? row.validated,
    digestKey: row.digest_key,
    requestSeal: row.request_seal,
    proposedDigest: row.arguments_digest,
    ...present({
      executed: row.executed === true ? row.executed : null,
      executeBefore: row.execute_before,
      claimToken: row.claim_token,
      result: row.result === null ? null : parsed<StoredResult>(row.result),
    }),
  });
}

/** An approval as people see it. */
export function approvalRequest(row: ShownApprovalRow): ApprovalRequest {
  return Object.freeze({
    id: row.id,
    runId: row.run_id,
    threadId: row.thread_id,
    operationId: row.operation_id,
    toolCallId: row.tool_call_id,
    toolName: row.tool_name,
    args: parsed<JsonValue>(row.shown),
    argumentsDigest: row.arguments_digest,
    hidden: parsed<string[]>(row.hidden),
    status: row.status,
    requestedAt: row.requested_at,
    expiresAt: row.expires_at,
    approvers: parsed<ApprovalRequest['approvers']>(row.approvers),
    editable: parsed<string[]>(row.editable),
    votes: row.votes.map(storedVote),
    decidedBy: row.votes.filter((vote) => vote.approved === row.decision).map((vote) => vote.principalId),
    ...present({
      summary: row.summary,
      risk: row.risk,
      organizationId: row.organization_id,
      requestedBy: row.requested_by,
      decidedAt: row.decided_at,
      reason: row.reason,
      note: row.note,
      editedArgs: row.edited_shown === null ? null : parsed<JsonValue>(row.edited_shown),
    }),
  });
}

/** What a vote is judged against. */
export function judgedApproval(row: FullApprovalRow): JudgedApproval {
  return {
    status: row.status,
    argumentsDigest: row.arguments_digest,
    ...present({ editedDigest: row.edited_digest }),
    quorum: row.quorum,
    votes: row.votes,
  };
}

function storedVote(vote: VoteJson): ApprovalVote {
  const { principalId, approved, reason, note, at } = vote;
  return { principalId, approved, ...present({ reason, note }), at: new Date(at) };
}

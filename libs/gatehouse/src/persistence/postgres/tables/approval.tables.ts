import { EntitySchema } from 'typeorm';
import type { ApprovalStatus } from '../../../contracts/statuses.js';
import { columns, double, flag, instant, integer, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/**
 * A row of `approval_request`. `received` and `validated` are exact canonical JSON; `shown`, `hidden`, `approvers`, `editable`, `result` are
 * JSON text. What an approver edited stands beside the original, which never changes.
 */
export interface ApprovalRow {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly operation_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly tool_fingerprint: string;
  readonly received: string;
  readonly validated: string;
  readonly arguments_digest: string;
  readonly shown: string;
  readonly hidden: string;
  readonly summary: string | null;
  readonly risk: string | null;
  readonly organization_id: string | null;
  readonly requested_by: string | null;
  readonly approvers: string;
  readonly quorum: number;
  readonly editable: string;
  readonly status: ApprovalStatus;
  readonly requested_at: Date;
  readonly expires_at: Date;
  readonly execute_within_ms: number;
  readonly execute_before: Date | null;
  readonly executed: boolean | null;
  readonly decision: boolean | null;
  readonly decided_at: Date | null;
  readonly reason: string | null;
  readonly note: string | null;
  readonly edited_received: string | null;
  readonly edited_validated: string | null;
  readonly edited_digest: string | null;
  readonly edited_shown: string | null;
  readonly edited_hidden: string | null;
  readonly claim_token: string | null;
  readonly claimed_at: Date | null;
  readonly result: string | null;
  readonly resolved_outcome: 'ran' | 'did-not-run' | null;
  readonly resolved_by: string | null;
  readonly resolved_note: string | null;
  readonly resolved_at: Date | null;
  readonly request_seal: string | null;
  readonly decision_seal: string | null;
}

/** One person's word. */
export interface VoteRow {
  readonly approval_id: string;
  readonly principal_id: string;
  readonly approved: boolean;
  readonly reason: string | null;
  readonly note: string | null;
  readonly at: Date;
  readonly seal: string | null;
}

export const approvalTable = (place: TablePlace): EntitySchema<ApprovalRow> =>
  new EntitySchema<ApprovalRow>({
    ...place('approval_request'),
    columns: columns<ApprovalRow>({
      id: key('uuid'),
      run_id: uuid,
      thread_id: text,
      operation_id: uuid,
      tool_call_id: text,
      tool_name: text,
      tool_fingerprint: text,
      received: text,
      validated: text,
      arguments_digest: text,
      shown: text,
      hidden: text,
      summary: orNull(text),
      risk: orNull(text),
      organization_id: orNull(text),
      requested_by: orNull(text),
      approvers: text,
      quorum: integer,
      editable: text,
      status: text,
      requested_at: instant,
      expires_at: instant,
      execute_within_ms: double,
      execute_before: orNull(instant),
      executed: orNull(flag),
      decision: orNull(flag),
      decided_at: orNull(instant),
      reason: orNull(text),
      note: orNull(text),
      edited_received: orNull(text),
      edited_validated: orNull(text),
      edited_digest: orNull(text),
      edited_shown: orNull(text),
      edited_hidden: orNull(text),
      claim_token: orNull(text),
      claimed_at: orNull(instant),
      result: orNull(text),
      resolved_outcome: orNull(text),
      resolved_by: orNull(text),
      resolved_note: orNull(text),
      resolved_at: orNull(instant),
      request_seal: orNull(text),
      decision_seal: orNull(text),
    }),
    indices: [
      { name: 'approval_request_run', columns: ['run_id', 'status'] },
      { name: 'approval_request_organization', columns: ['organization_id', 'id'] },
      { name: 'approval_request_pending', columns: ['expires_at'], synchronize: false },
      { name: 'approval_request_approved', columns: ['execute_before'], synchronize: false },
    ],
  });

export const voteTable = (place: TablePlace): EntitySchema<VoteRow> =>
  new EntitySchema<VoteRow>({
    ...place('approval_vote'),
    columns: columns<VoteRow>({
      approval_id: key('uuid'),
      principal_id: key('text'),
      approved: flag,
      reason: orNull(text),
      note: orNull(text),
      at: instant,
      seal: orNull(text),
    }),
  });

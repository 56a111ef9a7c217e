import type { MigrationInterface, QueryRunner } from 'typeorm';
import { checkedSchema } from './schema.name.js';

/** What an auditor reads beside the ledgers: approvals without their exact arguments, and one run's story. */
export function viewsMigration(schema: string): new () => MigrationInterface {
  const s = `"${checkedSchema(schema)}"`;
  return class Views implements MigrationInterface {
    readonly name = 'GatehouseViews1767225600003';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(firstApproval(s));
      await runner.query(firstTimeline(s));
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP VIEW ${s}.run_timeline`);
      await runner.query(`DROP VIEW ${s}.approval`);
    }
  };
}

export const firstApproval = (s: string): string => `CREATE VIEW ${s}.approval WITH (security_invoker = true) AS
  SELECT a.id, a.run_id, a.thread_id, a.operation_id, a.tool_call_id, a.tool_name,
    a.shown, a.hidden, coalesce(a.edited_digest, a.arguments_digest) AS arguments_digest,
    a.summary, a.risk, a.status, a.organization_id, a.requested_at, a.requested_by, a.expires_at, a.decision, a.decided_at,
    ARRAY(SELECT v.principal_id FROM ${s}.approval_vote v
      WHERE v.approval_id = a.id AND v.approved = a.decision ORDER BY v.at, v.principal_id) AS decided_by,
    a.reason, a.note, a.edited_shown, a.approvers, a.editable, a.claimed_at,
    a.resolved_outcome, a.resolved_by, a.resolved_note, a.resolved_at,
    (SELECT coalesce(json_agg(json_build_object('principalId', v.principal_id, 'approved', v.approved, 'reason', v.reason,
      'note', v.note, 'at', v.at) ORDER BY v.at, v.principal_id), '[]'::json)
      FROM ${s}.approval_vote v WHERE v.approval_id = a.id) AS votes
  FROM ${s}.approval_request a`;

// rank: the order in which things of one millisecond must have happened.
export const firstTimeline = (s: string): string => `CREATE VIEW ${s}.run_timeline WITH (security_invoker = true) AS
  SELECT id AS run_id, organization_id, started_at AS at, 0 AS rank, 'run.started' AS kind, id,
    NULL::text AS tool_name, NULL::text AS status, agent AS detail, NULL::text AS by
    FROM ${s}.agent_run
  UNION ALL
  SELECT run_id, organization_id, at,
    CASE kind WHEN 'requested' THEN 1 WHEN 'voted' THEN 2 WHEN 'refused' THEN 2 WHEN 'decided' THEN 3 WHEN 'withdrawn' THEN 4
      WHEN 'claimed' THEN 5 WHEN 'settled' THEN 7 WHEN 'lost' THEN 7 WHEN 'resolved' THEN 10 ELSE 4 END,
    'approval.' || kind, approval_id, tool_name, status, detail, principal_id
    FROM ${s}.approval_event
  UNION ALL
  SELECT run_id, organization_id, finished_at, 6, 'execution', id, tool_name,
    CASE WHEN success THEN 'success' ELSE 'failure' END, error, NULL
    FROM ${s}.tool_execution
  UNION ALL
  SELECT run_id, organization_id, finished_at, 8, 'operation', id, tool_name, status, coalesce(reason, error), NULL
    FROM ${s}.operation
  UNION ALL
  SELECT run_id, organization_id, finished_at, 9, 'run.terminal', id, NULL, status, coalesce(error, reason), NULL
    FROM ${s}.terminal_record`;

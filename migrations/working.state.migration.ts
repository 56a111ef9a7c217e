import type { MigrationInterface, QueryRunner } from 'typeorm';
import { approvalNoticeTables } from './approval.notices.js';
import { checkedSchema } from './schema.name.js';

/** Runs, threads, steps, events, approvals and deferred calls: what changes. */
export function workingStateMigration(schema: string): new () => MigrationInterface {
  const s = `"${checkedSchema(schema)}"`;
  return class WorkingState implements MigrationInterface {
    readonly name = 'GatehouseWorkingState1767225600001';

    async up(runner: QueryRunner): Promise<void> {
      const approvals = [...approvalTables(s), ...approvalNoticeTables(s)];
      const tables = [...runTables(s), ...threadTables(s), ...approvals, ...deferralTables(s)];
      for (const statement of tables) await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const table of TABLES) await runner.query(`DROP TABLE ${s}.${table}`);
    }
  };
}

const TABLES = [
  'deferred_call',
  'approval_notice',
  'approval_notifier',
  'approval_vote',
  'approval_request',
  'thread_message',
  'thread',
  'run_event',
  'run_step',
  'run_segment',
  'agent_run',
];

const runTables = (s: string): string[] => [
  `CREATE TABLE ${s}.agent_run (
    id uuid NOT NULL,
    thread_id text NOT NULL,
    owner_key text NOT NULL,
    agent text NOT NULL,
    local boolean NOT NULL,
    segment text NOT NULL,
    organization_id text,
    principal_id text,
    principal text,
    ip_address text,
    instructions text,
    tools text,
    limits text NOT NULL,
    digest_key text NOT NULL,
    state text NOT NULL,
    parent_run_id uuid,
    parent_operation_id uuid,
    status text NOT NULL,
    epoch integer NOT NULL,
    owner text,
    lease_until timestamptz(3),
    step integer NOT NULL,
    counters text NOT NULL,
    last_seq integer NOT NULL,
    checkpoint_version integer NOT NULL,
    cancel_source text,
    cancel_reason text,
    watched_until timestamptz(3),
    watched_end text,
    started_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3),
    events_expired_at timestamptz(3),
    CONSTRAINT agent_run_pkey PRIMARY KEY (id)
  )`,
  // One run of a thread at a time; a child may share its parent's thread.
  `CREATE UNIQUE INDEX agent_run_active_thread ON ${s}.agent_run (thread_id)
    WHERE status IN ('queued', 'running', 'suspended') AND parent_run_id IS NULL`,
  `CREATE INDEX agent_run_unfinished ON ${s}.agent_run (status, lease_until) WHERE status IN ('queued', 'running', 'suspended')`,
  `CREATE INDEX agent_run_kept_events ON ${s}.agent_run (finished_at) WHERE finished_at IS NOT NULL AND events_expired_at IS NULL`,
  `CREATE INDEX agent_run_thread ON ${s}.agent_run (thread_id, id)`,
  `CREATE INDEX agent_run_owner_key ON ${s}.agent_run (owner_key, id)`,
  `CREATE TABLE ${s}.run_segment (
    owner_key text NOT NULL,
    segment text NOT NULL,
    run_id uuid NOT NULL,
    first_seq integer NOT NULL,
    token uuid NOT NULL,
    CONSTRAINT run_segment_pkey PRIMARY KEY (owner_key, segment)
  )`,
  `CREATE INDEX run_segment_run ON ${s}.run_segment (run_id, first_seq)`,
  `CREATE TABLE ${s}.run_step (
    run_id uuid NOT NULL,
    step integer NOT NULL,
    body text NOT NULL,
    CONSTRAINT run_step_pkey PRIMARY KEY (run_id, step)
  )`,
  `CREATE TABLE ${s}.run_event (
    run_id uuid NOT NULL,
    seq integer NOT NULL,
    event text NOT NULL,
    at timestamptz(3) NOT NULL,
    CONSTRAINT run_event_pkey PRIMARY KEY (run_id, seq)
  )`,
];

const threadTables = (s: string): string[] => [
  `CREATE TABLE ${s}.thread (
    id text NOT NULL,
    owner_key text NOT NULL,
    organization_id text,
    principal_id text,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT thread_pkey PRIMARY KEY (id)
  )`,
  `CREATE TABLE ${s}.thread_message (
    position bigserial NOT NULL,
    thread_id text NOT NULL,
    run_id uuid NOT NULL,
    message_id text NOT NULL,
    body text NOT NULL,
    CONSTRAINT thread_message_pkey PRIMARY KEY (position)
  )`,
  `CREATE INDEX thread_message_thread ON ${s}.thread_message (thread_id, position)`,
];

const approvalTables = (s: string): string[] => [
  `CREATE TABLE ${s}.approval_request (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    thread_id text NOT NULL,
    operation_id uuid NOT NULL,
    tool_call_id text NOT NULL,
    tool_name text NOT NULL,
    tool_fingerprint text NOT NULL,
    received text NOT NULL,
    validated text NOT NULL,
    arguments_digest text NOT NULL,
    shown text NOT NULL,
    hidden text NOT NULL,
    summary text,
    risk text,
    organization_id text,
    requested_by text,
    approvers text NOT NULL,
    quorum integer NOT NULL,
    editable text NOT NULL,
    status text NOT NULL,
    requested_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    execute_within_ms double precision NOT NULL,
    execute_before timestamptz(3),
    executed boolean,
    decision boolean,
    decided_at timestamptz(3),
    reason text,
    note text,
    edited_received text,
    edited_validated text,
    edited_digest text,
    edited_shown text,
    edited_hidden text,
    claim_token text,
    claimed_at timestamptz(3),
    result text,
    resolved_outcome text,
    resolved_by text,
    resolved_note text,
    resolved_at timestamptz(3),
    request_seal text,
    decision_seal text,
    CONSTRAINT approval_request_pkey PRIMARY KEY (id)
  )`,
  `CREATE INDEX approval_request_run ON ${s}.approval_request (run_id, status)`,
  `CREATE INDEX approval_request_organization ON ${s}.approval_request (organization_id, id)`,
  `CREATE INDEX approval_request_pending ON ${s}.approval_request (expires_at) WHERE status = 'pending'`,
  `CREATE INDEX approval_request_approved ON ${s}.approval_request (execute_before) WHERE status = 'approved'`,
  `CREATE TABLE ${s}.approval_vote (
    approval_id uuid NOT NULL,
    principal_id text NOT NULL,
    approved boolean NOT NULL,
    reason text,
    note text,
    at timestamptz(3) NOT NULL,
    seal text,
    CONSTRAINT approval_vote_pkey PRIMARY KEY (approval_id, principal_id)
  )`,
];

const deferralTables = (s: string): string[] => [
  `CREATE TABLE ${s}.deferred_call (
    operation_id uuid NOT NULL,
    run_id uuid NOT NULL,
    tool_call_id text NOT NULL,
    tool_name text NOT NULL,
    shown text NOT NULL,
    arguments_digest text NOT NULL,
    metadata text NOT NULL,
    executed boolean NOT NULL,
    status text NOT NULL,
    requested_at timestamptz(3) NOT NULL,
    result text,
    result_digest text,
    answered_by text,
    answered_at timestamptz(3),
    CONSTRAINT deferred_call_pkey PRIMARY KEY (operation_id)
  )`,
  `CREATE INDEX deferred_call_run ON ${s}.deferred_call (run_id, status)`,
];

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { approvalHistoryTable, approvalHistoryTriggers, dropApprovalHistoryTriggers } from './approval.history.js';
import { checkedSchema } from './schema.name.js';

/** Executions, operations, terminal records and the history of approvals: what is only ever appended. */
export function evidenceMigration(schema: string): new () => MigrationInterface {
  const name = checkedSchema(schema);
  const s = `"${name}"`;
  return class Evidence implements MigrationInterface {
    readonly name = 'GatehouseEvidence1767225600002';

    async up(runner: QueryRunner): Promise<void> {
      const made = [...firstCutTables(s), ...approvalHistoryTable(s)];
      const guarded = [refusal(s), ...TABLES.flatMap((table) => appendOnly(s, table))];
      for (const statement of [...made, ...guarded, ...approvalHistoryTriggers(s)]) await runner.query(statement);
    }

    async down(runner: QueryRunner): Promise<void> {
      for (const statement of dropApprovalHistoryTriggers(s)) await runner.query(statement);
      for (const table of TABLES) await runner.query(`DROP TABLE ${s}.${table}`);
      await runner.query(`DROP FUNCTION ${s}.refuse_change()`);
    }
  };
}

const TABLES = ['tool_execution', 'operation', 'terminal_record', 'approval_event'];

/** The tables of the first cut's ledgers; later ones are views of the sealed log. */
export const firstCutTables = (s: string): string[] => [
  `CREATE TABLE ${s}.tool_execution (
    id uuid NOT NULL,
    kind text NOT NULL,
    tool_name text NOT NULL,
    arguments_repr text NOT NULL,
    duration_ms double precision NOT NULL,
    success boolean NOT NULL,
    error text,
    result_size integer,
    organization_id text,
    target_type text,
    target_id text,
    ip_address text,
    run_id uuid NOT NULL,
    thread_id text NOT NULL,
    operation_id uuid,
    principal_id text,
    late boolean NOT NULL,
    started_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3) NOT NULL,
    CONSTRAINT tool_execution_pkey PRIMARY KEY (id)
  )`,
  `CREATE INDEX tool_execution_run ON ${s}.tool_execution (run_id, id)`,
  `CREATE INDEX tool_execution_organization ON ${s}.tool_execution (organization_id, id)`,
  `CREATE INDEX tool_execution_principal ON ${s}.tool_execution (principal_id, id)`,
  `CREATE TABLE ${s}.operation (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    thread_id text NOT NULL,
    step integer NOT NULL,
    position integer NOT NULL,
    kind text NOT NULL,
    tool_name text NOT NULL,
    tool_call_id text NOT NULL,
    arguments_repr text NOT NULL,
    arguments_digest text,
    executed_digest text,
    status text NOT NULL,
    outcome text NOT NULL,
    execution_started boolean NOT NULL,
    decided_by text,
    reason text,
    guidance text,
    blocked_by_operation_id uuid,
    redirected_from_operation_id uuid,
    approval_id uuid,
    error text,
    shadowed text NOT NULL,
    organization_id text,
    principal_id text,
    parent_operation_id uuid,
    started_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3) NOT NULL,
    duration_ms double precision NOT NULL,
    CONSTRAINT operation_pkey PRIMARY KEY (id)
  )`,
  `CREATE INDEX operation_run ON ${s}.operation (run_id, id)`,
  `CREATE INDEX operation_organization ON ${s}.operation (organization_id, id)`,
  `CREATE INDEX operation_principal ON ${s}.operation (principal_id, id)`,
  `CREATE TABLE ${s}.terminal_record (
    id uuid NOT NULL,
    run_id uuid NOT NULL,
    thread_id text NOT NULL,
    agent text NOT NULL,
    status text NOT NULL,
    stage text,
    error text,
    source text,
    reason text,
    organization_id text,
    principal_id text,
    parent_run_id uuid,
    parent_operation_id uuid,
    failed_operation_ids uuid[] NOT NULL,
    requests integer NOT NULL,
    tool_calls integer NOT NULL,
    input_tokens double precision NOT NULL,
    output_tokens double precision NOT NULL,
    started_at timestamptz(3) NOT NULL,
    finished_at timestamptz(3) NOT NULL,
    CONSTRAINT terminal_record_pkey PRIMARY KEY (id)
  )`,
  `CREATE UNIQUE INDEX terminal_record_run ON ${s}.terminal_record (run_id)`,
  `CREATE INDEX terminal_record_organization ON ${s}.terminal_record (organization_id, id)`,
];

const refusal = (s: string): string => `CREATE FUNCTION ${s}.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION '% on %.% is refused: evidence is only ever appended', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
    USING ERRCODE = 'restrict_violation';
END $body$`;

// ALWAYS: also for a session that set session_replication_role to replica.
export const appendOnly = (s: string, table: string): string[] => [
  `CREATE TRIGGER ${table}_append_only BEFORE UPDATE OR DELETE ON ${s}.${table}
    FOR EACH ROW EXECUTE FUNCTION ${s}.refuse_change()`,
  `CREATE TRIGGER ${table}_never_truncated BEFORE TRUNCATE ON ${s}.${table}
    FOR EACH STATEMENT EXECUTE FUNCTION ${s}.refuse_change()`,
  `ALTER TABLE ${s}.${table} ENABLE ALWAYS TRIGGER ${table}_append_only`,
  `ALTER TABLE ${s}.${table} ENABLE ALWAYS TRIGGER ${table}_never_truncated`,
];

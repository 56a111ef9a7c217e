import { checkedSchema } from '../../../../../../migrations/schema.name.js';

const WORKING = [
  'agent_run',
  'run_segment',
  'run_step',
  'run_event',
  'thread',
  'thread_message',
  'approval_request',
  'approval_vote',
  'approval_notifier',
  'approval_notice',
  'deferred_call',
  'evidence_outbox',
  'evidence_writer',
];
const SEALED = ['audit_log', 'audit_payload'];
const SEAL = ['audit_batch', 'audit_leaf', 'audit_tile', 'audit_checkpoint', 'audit_anchor'];
const VIEWS = ['tool_execution', 'operation', 'terminal_record', 'run_timeline'];

// What an erasure clears, a release of a hold and a writer of records set; of facts, one column lets them be locked.
const MAINTAINED: Readonly<Record<string, readonly string[]>> = {
  agent_run: ['principal', 'ip_address', 'instructions', 'state', 'digest_key', 'cancel_reason'],
  approval_request: [
    ...['received', 'validated', 'shown', 'summary', 'reason', 'note', 'result', 'resolved_note'],
    ...['edited_received', 'edited_validated', 'edited_shown'],
  ],
  approval_vote: ['reason', 'note'],
  approval_event: ['detail'],
  deferred_call: ['shown', 'metadata', 'result', 'result_digest'],
  legal_hold: ['released_by', 'released_at'],
  evidence_writer: ['seen_at', 'last_seq', 'state'],
  evidence_outbox: ['ordinal'],
};

/**
 * SQL that makes the roles of a schema and grants them what they need, and nothing more; to be run by the schema's owner (as a superuser where roles
 * are new). Log in with roles of your own that are members of these. Run it again after each migration.
 *
 * - `<schema>_writer`: the application. Appends to the evidence, and cannot change or delete any of it.
 * - `<schema>_reader`: sees one organization's evidence: that of `SET gatehouse.organization`.
 * - `<schema>_auditor`: sees all evidence, writes nothing.
 * - `<schema>_maintenance`: erases payloads and lets months go, once that was recorded.
 */
export function rolesScript(schema: string): string {
  const name = checkedSchema(schema);
  const s = `"${name}"`;
  const [writer, reader, auditor, maintenance] = ['writer', 'reader', 'auditor', 'maintenance'].map(
    (role) => `"${name}_${role}"`,
  );
  const all = [writer, reader, auditor, maintenance].join(', ');
  const on = (tables: readonly string[]): string => tables.map((table) => `${s}.${table}`).join(', ');
  const lines = [
    ...['writer', 'reader', 'auditor', 'maintenance'].map(
      (role) => `DO $$ BEGIN CREATE ROLE "${name}_${role}" NOLOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$`,
    ),
    `REVOKE ALL ON SCHEMA ${s} FROM PUBLIC`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${s} FROM PUBLIC, ${all}`,
    `GRANT USAGE ON SCHEMA ${s} TO ${all}`,
    `GRANT SELECT ON ${s}.migrations TO ${writer}, ${auditor}, ${maintenance}`,
    `GRANT SELECT ON ${on([...SEALED, ...SEAL, ...VIEWS])} TO ${all}`,
    `GRANT SELECT ON ${s}.approval TO ${writer}, ${auditor}, ${maintenance}`,
    `GRANT SELECT ON ${on([...WORKING, 'approval_event', 'legal_hold'])} TO ${writer}, ${auditor}, ${maintenance}`,
    `GRANT INSERT, UPDATE, DELETE ON ${on(WORKING)} TO ${writer}`,
    `GRANT INSERT ON ${on([...SEALED, ...SEAL, 'approval_event'])} TO ${writer}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${s} TO ${writer}, ${maintenance}`,
    `GRANT EXECUTE ON FUNCTION ${s}.ensure_month(timestamptz) TO ${writer}, ${maintenance}`,
    `GRANT EXECUTE ON FUNCTION ${s}.drop_month(text) TO ${maintenance}`,
    `GRANT INSERT ON ${on(['audit_log', 'audit_payload', 'audit_batch', 'evidence_writer', 'legal_hold'])} TO ${maintenance}`,
    `GRANT DELETE ON ${on(['audit_payload', 'run_step', 'run_event', 'thread_message', 'evidence_outbox'])} TO ${maintenance}`,
    ...Object.entries(MAINTAINED).map(
      ([table, columns]) => `GRANT UPDATE (${columns.join(', ')}) ON ${s}.${table} TO ${maintenance}`,
    ),
    ...rolePolicies(name).map((one) => policy(s, one)),
  ];
  return lines.map((line) => `${line};\n`).join('');
}

/** A policy that lets roles past the row security of organizations. */
export interface RolePolicy {
  readonly table: string;
  readonly name: string;
  readonly command: 'SELECT' | 'INSERT' | 'DELETE';
  readonly roles: readonly string[];
}

/** Those policies, as the script makes them: without a condition. */
export function rolePolicies(schema: string): readonly RolePolicy[] {
  const [writer, auditor, maintenance] = ['writer', 'auditor', 'maintenance'].map((role) => `${schema}_${role}`) as [
    string,
    string,
    string,
  ];
  return [
    ...SEALED.flatMap((table): RolePolicy[] => [
      { table, name: 'appended', command: 'INSERT', roles: [writer, maintenance] },
      { table, name: 'read_all', command: 'SELECT', roles: [writer, auditor, maintenance] },
    ]),
    { table: 'audit_payload', name: 'erased', command: 'DELETE', roles: [maintenance] },
  ];
}

const policy = (s: string, { table, name, command, roles }: RolePolicy): string =>
  `DROP POLICY IF EXISTS ${name} ON ${s}.${table};\nCREATE POLICY ${name} ON ${s}.${table} FOR ${command} TO ${roles.map((role) => `"${role}"`).join(', ')} ${
    command === 'INSERT' ? 'WITH CHECK (true)' : 'USING (true)'
  }`;

import type { OpenIntent } from '../../../contracts/intent.js';
import type { Sql } from '../sql.js';
import type { Filter } from '../filter.js';

interface IntentRow {
  readonly id: string;
  readonly run_id: string;
  readonly thread_id: string;
  readonly operation_id: string;
  readonly tool_name: string;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly at: Date;
  readonly closed: boolean;
  readonly unknown: boolean;
}

const openIntent = (row: IntentRow): OpenIntent => ({
  id: row.id,
  runId: row.run_id,
  threadId: row.thread_id,
  operationId: row.operation_id,
  toolName: row.tool_name,
  organizationId: row.organization_id,
  principalId: row.principal_id,
  at: row.at,
  unknown: row.unknown,
});

// Unknown once the run cannot tell any more: it is not running, or its owner's lease has run out. Never because some process started.
const select = ({
  log,
  run,
}: Sql['tables']): string => `SELECT l.id, l.run_id, l.thread_id, l.operation_id, l.tool_name, l.organization_id, l.principal_id, l.at,
    EXISTS (SELECT FROM ${log} o WHERE o.run_id = l.run_id AND o.reference = l.id::text) AS closed,
    NOT EXISTS (SELECT FROM ${run} r WHERE r.id = l.run_id AND r.status = 'running' AND r.lease_until > clock_timestamp()) AS unknown
  FROM ${log} l`;

/** Intents without an outcome, newest first. */
export async function readOpenIntents(
  sql: Sql,
  filter: Filter,
  after: string | null,
  limit: number,
): Promise<OpenIntent[]> {
  const page = filter.equalsAny('l.kind', ['tool.intent']).page('l.id', after, limit, openCondition(sql));
  const rows = await sql.rows<IntentRow>(`${select(sql.tables)} ${page}`, filter.values);
  return rows.map(openIntent);
}

const openCondition = ({ tables }: Sql): string =>
  `NOT EXISTS (SELECT FROM ${tables.log} o WHERE o.run_id = l.run_id AND o.reference = l.id::text)`;

/** One intent, and whether it has an outcome. */
export async function readIntent(sql: Sql, id: string): Promise<{ open: OpenIntent; closed: boolean } | undefined> {
  const row = await sql.row<IntentRow>(`${select(sql.tables)} WHERE l.id = $1 AND l.kind = 'tool.intent'`, [id]);
  return row === undefined ? undefined : { open: openIntent(row), closed: row.closed };
}

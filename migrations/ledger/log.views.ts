// The body is the exact text that was bound to the record; json, unlike jsonb, takes it as it is.
const BODY = `convert_from(p.body, 'UTF8')::json`;

const text = (part: string): string =>
  `CASE WHEN p.id IS NOT NULL THEN ${BODY} ->> '${part}' WHEN l.payload_commitment IS NOT NULL THEN '[erased]' END`;

const view = (s: string, name: string, columns: string, kinds: string): string =>
  `CREATE VIEW ${s}.${name} WITH (security_invoker = true) AS SELECT ${columns}
    FROM ${s}.audit_log l LEFT JOIN ${s}.audit_payload p ON p.id = l.id WHERE l.kind ${kinds}`;

/** What an auditor reads: with the rights of who asks. */
export const logViews = (s: string): string[] => [
  view(
    s,
    'tool_execution',
    `l.id, CASE l.kind WHEN 'run.audit' THEN 'run' ELSE 'tool' END AS kind, l.tool_name, ${text('arguments')} AS arguments_repr,
      l.duration_us / 1000.0::double precision AS duration_ms, l.status = 'success' AS success,
      CASE WHEN l.error_type IS NOT NULL THEN ${text('error')} END AS error, l.error_type, l.result_size, l.organization_id,
      l.target_type, l.target_id, ${text('ipAddress')} AS ip_address, l.run_id, l.thread_id, l.operation_id, l.principal_id,
      l.late, l.started_at, l.at AS finished_at, l.trace_id, l.span_id`,
    `IN ('tool.executed', 'tool.late', 'run.audit')`,
  ),
  view(
    s,
    'operation',
    `l.id, l.run_id, l.thread_id, l.step, l.position, l.call_kind AS kind, l.tool_name, l.tool_call_id, ${text('arguments')} AS arguments_repr,
      l.arguments_digest, l.executed_digest, l.status, l.outcome, l.execution_started, l.decided_by, ${text('reason')} AS reason,
      ${text('guidance')} AS guidance, l.blocked_by_operation_id, l.redirected_from_operation_id, l.approval_id,
      CASE WHEN l.error_type IS NOT NULL THEN ${text('error')} END AS error, l.error_type, coalesce(${text('shadowed')}, '[]') AS shadowed,
      l.organization_id, l.principal_id, l.parent_operation_id, l.started_at, l.at AS finished_at,
      l.duration_us / 1000.0::double precision AS duration_ms, l.trace_id, l.span_id`,
    `= 'operation.finished'`,
  ),
  view(
    s,
    'terminal_record',
    `l.id, l.run_id, l.thread_id, l.agent, l.status, l.stage, CASE WHEN l.error_type IS NOT NULL THEN ${text('error')} END AS error,
      l.error_type, l.source, ${text('reason')} AS reason, l.organization_id, l.principal_id, l.parent_run_id, l.parent_operation_id,
      coalesce(${text('failedOperationIds')}, '[]') AS failed_operation_ids, l.requests, l.tool_calls, l.input_tokens, l.output_tokens,
      l.started_at, l.at AS finished_at`,
    `= 'run.terminal'`,
  ),
  timelineView(s),
];

/** The names of the views, for undoing. */
export const LOG_VIEWS = ['run_timeline', 'terminal_record', 'operation', 'tool_execution'];

// rank: the order in which things of one millisecond must have happened.
const timelineView = (s: string): string =>
  view(
    s,
    'run_timeline',
    `l.run_id, l.organization_id, l.at,
      CASE l.kind WHEN 'run.started' THEN 0 WHEN 'approval.requested' THEN 1 WHEN 'approval.voted' THEN 2 WHEN 'approval.refused' THEN 2
        WHEN 'approval.decided' THEN 3 WHEN 'approval.withdrawn' THEN 4 WHEN 'approval.claimed' THEN 5 WHEN 'tool.intent' THEN 5
        WHEN 'tool.executed' THEN 6 WHEN 'tool.late' THEN 6 WHEN 'run.audit' THEN 6 WHEN 'tool.withdrawn' THEN 6
        WHEN 'approval.settled' THEN 7 WHEN 'approval.lost' THEN 7 WHEN 'operation.finished' THEN 8 WHEN 'run.terminal' THEN 9
        WHEN 'approval.resolved' THEN 10 ELSE 4 END AS rank,
      CASE WHEN l.kind IN ('tool.executed', 'tool.late', 'run.audit') THEN 'execution' WHEN l.kind = 'operation.finished' THEN 'operation'
        ELSE l.kind END AS kind,
      CASE WHEN l.kind LIKE 'approval.%' THEN l.approval_id WHEN l.kind = 'run.started' THEN l.run_id ELSE l.id END AS id,
      l.tool_name, l.status,
      CASE WHEN l.kind = 'run.started' THEN l.agent WHEN l.kind = 'run.terminal' THEN coalesce(${text('error')}, ${text('reason')})
        ELSE coalesce(${text('detail')}, ${text('reason')}, ${text('error')}) END AS detail,
      CASE WHEN l.kind LIKE 'approval.%' THEN l.principal_id END AS by`,
    `NOT IN ('config', 'gap', 'read', 'erased', 'retention', 'writer')`,
  );

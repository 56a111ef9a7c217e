/** Records of the first cut's tables become facts like any other: they are sealed from now on, under the ids they had. */
export const moveFirstCut = (s: string): string[] => [
  `INSERT INTO ${s}.evidence_outbox (id, kind, at, started_at, organization_id, principal_id, run_id, thread_id, operation_id, tool_name, status, late,
      error_type, target_type, target_id, duration_us, result_size, payload)
    SELECT id, CASE WHEN kind = 'run' THEN 'run.audit' WHEN late THEN 'tool.late' ELSE 'tool.executed' END, finished_at, started_at,
      ${s}.ledger_name(organization_id), ${s}.ledger_name(principal_id), run_id, ${s}.ledger_name(thread_id), operation_id, ${s}.ledger_name(tool_name),
      CASE WHEN success THEN 'success' ELSE 'failure' END, late, ${errorType('error')}, ${s}.ledger_name(target_type), ${s}.ledger_name(target_id),
      round(duration_ms * 1000)::bigint, result_size,
      json_strip_nulls(json_build_object('arguments', arguments_repr, 'error', error, 'ipAddress', ip_address))::text
    FROM ${s}.tool_execution ORDER BY id`,
  `INSERT INTO ${s}.evidence_outbox (id, kind, at, started_at, organization_id, principal_id, run_id, thread_id, operation_id, parent_operation_id,
      approval_id, blocked_by_operation_id, redirected_from_operation_id, step, position, tool_name, tool_call_id, call_kind, status, outcome,
      decided_by, execution_started, arguments_digest, executed_digest, error_type, duration_us, payload)
    SELECT id, 'operation.finished', finished_at, started_at, ${s}.ledger_name(organization_id), ${s}.ledger_name(principal_id), run_id,
      ${s}.ledger_name(thread_id), id, parent_operation_id, approval_id, blocked_by_operation_id, redirected_from_operation_id, step, position,
      ${s}.ledger_name(tool_name), ${s}.ledger_name(tool_call_id), kind, status, outcome, decided_by, execution_started, arguments_digest,
      executed_digest, ${errorType('error')}, round(duration_ms * 1000)::bigint,
      json_strip_nulls(json_build_object('arguments', arguments_repr, 'reason', reason, 'guidance', guidance, 'error', error,
        'shadowed', nullif(shadowed, '[]')))::text
    FROM ${s}.operation ORDER BY id`,
  `INSERT INTO ${s}.evidence_outbox (id, kind, at, started_at, organization_id, principal_id, run_id, thread_id, parent_run_id, parent_operation_id,
      agent, status, stage, source, error_type, requests, tool_calls, input_tokens, output_tokens, payload)
    SELECT id, 'run.terminal', finished_at, started_at, ${s}.ledger_name(organization_id), ${s}.ledger_name(principal_id), run_id,
      ${s}.ledger_name(thread_id), parent_run_id, parent_operation_id, ${s}.ledger_name(agent), status, stage, ${s}.ledger_name(source),
      ${errorType('error')}, requests, tool_calls, round(input_tokens)::bigint, round(output_tokens)::bigint,
      json_strip_nulls(json_build_object('error', error, 'reason', reason, 'failedOperationIds',
        CASE WHEN cardinality(failed_operation_ids) > 0 THEN array_to_json(failed_operation_ids)::text END))::text
    FROM ${s}.terminal_record ORDER BY id`,
  `INSERT INTO ${s}.evidence_outbox (id, kind, at, started_at, organization_id, principal_id, run_id, thread_id, parent_run_id, parent_operation_id, agent)
    SELECT ${s}.uuid_v7(), 'run.started', started_at, started_at, ${s}.ledger_name(organization_id), ${s}.ledger_name(principal_id), id,
      ${s}.ledger_name(thread_id), parent_run_id, parent_operation_id, ${s}.ledger_name(agent)
    FROM ${s}.agent_run ORDER BY id`,
  `INSERT INTO ${s}.evidence_outbox (id, kind, at, organization_id, principal_id, run_id, thread_id, operation_id, approval_id, tool_name,
      tool_call_id, status, arguments_digest, payload)
    SELECT ${s}.uuid_v7(), 'approval.' || e.kind, e.at, ${s}.ledger_name(e.organization_id), ${s}.ledger_name(e.principal_id), e.run_id,
      ${s}.ledger_name(a.thread_id), a.operation_id, e.approval_id, ${s}.ledger_name(e.tool_name), ${s}.ledger_name(a.tool_call_id), e.status,
      coalesce(a.edited_digest, a.arguments_digest), CASE WHEN e.detail IS NOT NULL THEN json_build_object('detail', e.detail)::text END
    FROM ${s}.approval_event e LEFT JOIN ${s}.approval_request a ON a.id = e.approval_id ORDER BY e.seq`,
  // DROP fires no row trigger.
  ...['terminal_record', 'operation', 'tool_execution'].map((table) => `DROP TABLE ${s}.${table}`),
];

const errorType = (column: string): string =>
  `CASE WHEN ${column} IS NOT NULL THEN coalesce(substring(${column} FROM '^([[:alnum:]_$]{1,128})(?=:|$)'), 'Error') END`;

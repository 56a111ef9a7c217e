// What was recorded of approvals: sealed, or a fact on its way there. Texts are looked up only where they are shown.
const recorded = (s: string, withDetail: boolean): string => {
  const columns = (from: string): string =>
    ['id', 'kind', 'at', 'run_id', 'approval_id', 'principal_id', 'status', 'arguments_digest']
      .map((name) => `${from}.${name}`)
      .join(', ');
  const text = `CASE WHEN p.id IS NOT NULL THEN convert_from(p.body, 'UTF8')::json ->> 'detail' WHEN l.payload_commitment IS NOT NULL THEN '[erased]' END`;
  return `(SELECT ${columns('l')}${withDetail ? `, ${text} AS detail` : ''} FROM ${s}.audit_log l
        ${withDetail ? `LEFT JOIN ${s}.audit_payload p ON p.id = l.id` : ''}
      UNION ALL SELECT ${columns('o')}${withDetail ? `, o.payload::json ->> 'detail'` : ''}
        FROM ${s}.evidence_outbox o WHERE NOT EXISTS (SELECT FROM ${s}.audit_log l WHERE l.id = o.id))`;
};

const ASKED = ['id', 'run_id', 'approval_id', 'at', 'thread_id', 'operation_id', 'tool_call_id', 'tool_name'];

// Without their payloads: a page is sorted before those are looked up.
const asked = (s: string): string => {
  const columns = [...ASKED, 'organization_id', 'principal_id', 'arguments_digest']
    .map((name) => `o.${name}`)
    .join(', ');
  return `(SELECT ${columns} FROM ${s}.audit_log o WHERE o.kind = 'approval.requested'
      UNION ALL SELECT ${columns} FROM ${s}.evidence_outbox o WHERE o.kind = 'approval.requested'
        AND NOT EXISTS (SELECT FROM ${s}.audit_log l WHERE l.id = o.id))`;
};

const DECIDED = `'approval.decided' AND e.status IN ('approved', 'denied')`;

/**
 * Approvals without their exact arguments. Which there were, who asked, who voted how and when, what was decided, claimed and resolved is read from what
 * was recorded, whatever became of the row that people worked on; that row adds how the call was shown, who may decide it, and where it stands.
 */
export const approvalView = (s: string): string => {
  const of = (kind: string, column: string): string =>
    `(SELECT ${column} FROM ${recorded(s, column === 'e.detail')} e WHERE e.run_id = r.run_id AND e.approval_id = r.approval_id AND e.kind = ${kind} ORDER BY e.id LIMIT 1)`;
  // The log shortens names beyond 256 characters; the row has the whole one, where it is the same.
  const name = (whole: string, short: string): string =>
    `CASE WHEN ${s}.ledger_name(${whole}) = ${short} THEN ${whole} ELSE ${short} END`;
  const votes = (column: string, more = ''): string => `(SELECT ${column} FROM ${recorded(s, more === '')} e
      LEFT JOIN ${s}.approval_vote v ON v.approval_id = e.approval_id AND ${s}.ledger_name(v.principal_id) = e.principal_id
      WHERE e.run_id = r.run_id AND e.approval_id = r.approval_id AND e.kind = 'approval.voted'${more})`;
  const voter = name('v.principal_id', 'e.principal_id');
  return `CREATE VIEW ${s}.approval WITH (security_invoker = true) AS
  SELECT r.approval_id AS id, r.run_id, ${name('a.thread_id', 'r.thread_id')} AS thread_id, r.operation_id,
    ${name('a.tool_call_id', 'r.tool_call_id')} AS tool_call_id, ${name('a.tool_name', 'r.tool_name')} AS tool_name,
    a.shown, a.hidden, coalesce(${of(DECIDED, 'e.arguments_digest')}, r.arguments_digest) AS arguments_digest,
    ${of(`'approval.requested'`, 'e.detail')} AS summary, a.risk,
    coalesce(a.status, ${lastStatus(s)}) AS status, ${name('a.organization_id', 'r.organization_id')} AS organization_id,
    r.at AS requested_at, ${name('a.requested_by', 'r.principal_id')} AS requested_by, a.expires_at,
    ${of(DECIDED, `e.status = 'approved'`)} AS decision, ${of(DECIDED, 'e.at')} AS decided_at,
    ${votes(
      `coalesce(array_agg(${voter} ORDER BY e.at, e.principal_id), '{}')`,
      ` AND e.status = ${of(DECIDED, 'e.status')}`,
    )} AS decided_by,
    ${of(DECIDED, 'e.detail')} AS reason, a.note, a.edited_shown, a.approvers, a.editable,
    ${of(`'approval.claimed'`, 'e.at')} AS claimed_at, ${of(`'approval.resolved'`, 'e.status')} AS resolved_outcome,
    ${of(`'approval.resolved'`, 'e.principal_id')} AS resolved_by, ${of(`'approval.resolved'`, 'e.detail')} AS resolved_note,
    ${of(`'approval.resolved'`, 'e.at')} AS resolved_at,
    ${votes(`coalesce(json_agg(json_build_object('principalId', ${voter}, 'approved', e.status = 'approved',
      'reason', CASE WHEN v.reason IS NULL AND v.note = e.detail THEN NULL ELSE e.detail END, 'note', v.note, 'at', e.at)
      ORDER BY e.at, e.principal_id), '[]'::json)`)} AS votes
  FROM ${asked(s)} r LEFT JOIN ${s}.approval_request a ON a.id = r.approval_id`;
};

// Of an approval whose row is gone.
const lastStatus = (
  s: string,
): string => `(SELECT CASE e.kind WHEN 'approval.requested' THEN 'pending' WHEN 'approval.resolved' THEN 'done' ELSE e.status END
      FROM ${recorded(s, false)} e WHERE e.run_id = r.run_id AND e.approval_id = r.approval_id AND e.kind NOT IN ('approval.voted', 'approval.refused')
      AND e.kind LIKE 'approval.%' ORDER BY array_position(ARRAY['approval.requested', 'approval.decided', 'approval.claimed', 'approval.withdrawn',
        'approval.changed', 'approval.settled', 'approval.lost', 'approval.resolved'], e.kind::text) DESC LIMIT 1)`;

import { checkedSchema } from '../../../../../migrations/schema.name.js';

/** Quoted, schema-qualified names, for SQL. */
export type TableNames = Readonly<
  Record<
    | 'run'
    | 'segment'
    | 'step'
    | 'event'
    | 'thread'
    | 'message'
    | 'approval'
    | 'vote'
    | 'approvalEvent'
    | 'notifier'
    | 'notice'
    | 'deferral'
    | 'log'
    | 'payload'
    | 'batch'
    | 'leaf'
    | 'tile'
    | 'checkpoint'
    | 'anchor'
    | 'outbox'
    | 'writer'
    | 'hold'
    | 'execution'
    | 'operation'
    | 'terminal'
    | 'approvalView'
    | 'timelineView',
    string
  >
>;

export function tableNames(schema: string): TableNames {
  const name = checkedSchema(schema);
  const of = (table: string): string => `"${name}".${table}`;
  return Object.freeze({
    run: of('agent_run'),
    segment: of('run_segment'),
    step: of('run_step'),
    event: of('run_event'),
    thread: of('thread'),
    message: of('thread_message'),
    approval: of('approval_request'),
    vote: of('approval_vote'),
    approvalEvent: of('approval_event'),
    notifier: of('approval_notifier'),
    notice: of('approval_notice'),
    deferral: of('deferred_call'),
    log: of('audit_log'),
    payload: of('audit_payload'),
    batch: of('audit_batch'),
    leaf: of('audit_leaf'),
    tile: of('audit_tile'),
    checkpoint: of('audit_checkpoint'),
    anchor: of('audit_anchor'),
    outbox: of('evidence_outbox'),
    writer: of('evidence_writer'),
    hold: of('legal_hold'),
    execution: of('tool_execution'),
    operation: of('operation'),
    terminal: of('terminal_record'),
    approvalView: of('approval'),
    timelineView: of('run_timeline'),
  });
}

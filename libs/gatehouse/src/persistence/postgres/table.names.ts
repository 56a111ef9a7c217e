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
    execution: of('tool_execution'),
    operation: of('operation'),
    terminal: of('terminal_record'),
    approvalView: of('approval'),
    timelineView: of('run_timeline'),
  });
}

/** Where an operation ended. Exactly one, never changed. */
export type OperationStatus =
  | 'completed'
  | 'failed'
  | 'rejected'
  | 'aborted'
  | 'skipped'
  | 'stubbed'
  | 'redirected'
  | 'denied'
  | 'expired'
  | 'deferred'
  | 'interrupted';

/** What the model is told about a call. */
export type ToolOutcome = 'success' | 'failed' | 'denied' | 'retry' | 'skipped';

/** Who settled an operation that did not simply run. `external`: whoever its tool handed the call to. */
export type DecidedBy =
  | 'admission'
  | 'hook'
  | 'inspector'
  | 'guard'
  | 'approval'
  | 'person'
  | 'external'
  | 'policy'
  | 'middleware'
  | 'limit'
  | 'barrier';

/** How a run ended. */
export type TerminalStatus = 'completed' | 'raised' | 'failed' | 'aborted' | 'cancelled' | 'interrupted';

/** Where a run stands. `queued`: stored, and no process has begun it. `suspended`: it waits for people, or for results from outside. */
export type RunStatus = 'queued' | 'running' | 'suspended' | TerminalStatus;

/** Where in its life a run ended. */
export type RunStage =
  | 'preparation'
  | 'executor'
  | 'operation_inspection'
  | 'outcome_validation'
  | 'output_validation'
  | 'commit_inspection'
  | 'rewrite_validation'
  | 'delivery'
  | 'limit'
  | 'denial';

/** Where an approval stands. */
export type ApprovalStatus =
  'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'superseded' | 'executing' | 'done' | 'unknown';

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

/** Who settled an operation that did not simply run. */
export type DecidedBy =
  'admission' | 'hook' | 'inspector' | 'guard' | 'approval' | 'person' | 'policy' | 'middleware' | 'limit' | 'barrier';

/** How a run ended. */
export type TerminalStatus = 'completed' | 'raised' | 'failed' | 'aborted' | 'cancelled' | 'interrupted';

/** Where a run stands. */
export type RunStatus = 'running' | 'suspended' | TerminalStatus;

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

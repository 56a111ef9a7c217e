import type {
  ApprovalStatus,
  DecidedBy,
  OperationStatus,
  RunStatus,
  TerminalStatus,
} from '../../contracts/statuses.js';

/** Every member of a union of literals; the compiler says when one is missing. */
const all = <T extends string>(members: Readonly<Record<T, true>>): readonly T[] => Object.keys(members) as T[];

const terminal = {
  completed: true,
  raised: true,
  failed: true,
  aborted: true,
  cancelled: true,
  interrupted: true,
} as const;

export const TERMINAL_STATUSES = all<TerminalStatus>(terminal);
export const RUN_STATUSES = all<RunStatus>({ queued: true, running: true, suspended: true, ...terminal });
export const APPROVAL_STATUSES = all<ApprovalStatus>({
  pending: true,
  approved: true,
  denied: true,
  expired: true,
  cancelled: true,
  superseded: true,
  executing: true,
  done: true,
  unknown: true,
});
export const OPERATION_STATUSES = all<OperationStatus>({
  completed: true,
  failed: true,
  rejected: true,
  aborted: true,
  skipped: true,
  stubbed: true,
  redirected: true,
  denied: true,
  expired: true,
  deferred: true,
  interrupted: true,
});
export const DECIDERS = all<DecidedBy>({
  admission: true,
  hook: true,
  inspector: true,
  guard: true,
  approval: true,
  person: true,
  external: true,
  policy: true,
  middleware: true,
  limit: true,
  barrier: true,
});

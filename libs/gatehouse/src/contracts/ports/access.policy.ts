import type { Awaitable } from '../awaitable.js';
import type { Principal } from '../principal.js';

/** What an `AccessPolicy` is asked about. */
export type AccessAction =
  | 'run.start'
  | 'run.read'
  | 'run.cancel'
  | 'thread.continue'
  | 'approval.read'
  | 'approval.decide'
  | 'audit.read'
  | 'audit.export'
  | 'audit.verify';

/** What an action is about. Fields that do not apply are absent. */
export interface AccessResource {
  readonly agent?: string;
  readonly runId?: string;
  readonly threadId?: string;
  readonly approvalId?: string;
  readonly toolName?: string;
  readonly organizationId?: string;
  readonly principalId?: string;
  /** Roles that may decide, of an approval. */
  readonly approverRoles?: readonly string[];
}

/**
 * Who may do what. There is no default: an app that mounts a controller provides one. A throw is no.
 *
 * @example
 * ```ts
 * class MyPolicy extends AccessPolicy {
 *   override can({ roles, organizationId }: Principal, action: AccessAction, resource: AccessResource) {
 *     if (action === 'run.start') return true;
 *     if (resource.organizationId !== organizationId) return false;
 *     return action.startsWith('approval.') ? roles?.includes('approver') === true : action === 'audit.read' && roles?.includes('auditor') === true;
 *   }
 * }
 * ```
 */
export abstract class AccessPolicy {
  /** Whether this principal may do this. Owners are not asked about their own runs and approvals; `run.start` and `audit.*` are always asked. */
  abstract can(principal: Principal, action: AccessAction, resource: AccessResource): Awaitable<boolean>;
}

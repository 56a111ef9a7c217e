import type { ApprovalEvent } from '../../../contracts/approval.event.js';

/** Selects an `ApprovalEvent` (alias `e`). */
export const EVENT_FIELDS = `e.id, e.approval_id AS "approvalId", e.run_id AS "runId", e.organization_id AS "organizationId",
  e.tool_name AS "toolName", e.kind, e.status, e.principal_id AS "principalId", e.detail, e.at`;

/** An event with its place in the order of all. */
export type PlacedEvent = ApprovalEvent & { readonly seq: string };

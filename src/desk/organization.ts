import { NotPermitted, type ToolCall } from 'nest-gatehouse';

/** The organization whose data a call may see. Throws `NotPermitted` where the run acts for none: every query needs one. */
export function organizationOf({ organizationId, toolName }: ToolCall): string {
  if (organizationId === undefined) throw new NotPermitted(`Tool '${toolName}' needs a caller with an organization.`);
  return organizationId;
}

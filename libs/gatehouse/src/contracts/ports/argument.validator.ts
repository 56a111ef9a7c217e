import type { EditedArguments, StoredApproval } from './stored.approval.js';
import type { JsonObject } from '../json.js';

/** The call whose arguments were edited. */
export type EditedCall = Pick<
  StoredApproval,
  'runId' | 'threadId' | 'operationId' | 'toolCallId' | 'toolName' | 'organizationId' | 'digestKey'
>;

/** Validates and binds arguments an approver edited; the approvals room does not know tools. */
export abstract class ArgumentValidator {
  abstract validateEdit(
    approval: EditedCall,
    edited: JsonObject,
  ): Promise<
    | { readonly ok: true; readonly edited: EditedArguments }
    | { readonly ok: false; readonly problems: readonly string[] }
  >;
}

import type { EditedArguments } from './stored.approval.js';
import type { JsonObject } from '../json.js';

/** Validates and binds arguments an approver edited; the approvals room does not know tools. */
export abstract class ArgumentValidator {
  abstract validateEdit(
    toolName: string,
    edited: JsonObject,
    digestKey: string,
  ): Promise<
    | { readonly ok: true; readonly edited: EditedArguments }
    | { readonly ok: false; readonly problems: readonly string[] }
  >;
}

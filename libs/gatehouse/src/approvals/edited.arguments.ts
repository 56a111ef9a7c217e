import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../contracts/json.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import { mayEdit } from './approver.rules.js';

/** Edited arguments to validate, none when nothing differs, or what is wrong with them. */
export type MergedEdit =
  | { readonly ok: true; readonly arguments: JsonObject | undefined }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What an edit is held against. */
export type EditedApproval = Pick<
  StoredApproval,
  'approvers' | 'editable' | 'received' | 'validated' | 'args' | 'editedArgs'
>;

/**
 * An approver edits what was shown, which may be redacted; so a field left as it was shown keeps its exact value, as it was received. Only
 * listed top-level fields may differ, where one person decides and `notRequester` is unset.
 */
export function mergeEdit(approval: EditedApproval, edited: JsonObject): MergedEdit {
  if (!mayEdit(approval.approvers))
    return refused(['its arguments may not be edited, as more than the requester is asked']);
  if (approval.editable.length === 0) return refused(['its arguments may not be edited']);
  const exact = membersOf(JSON.parse(approval.validated) as JsonValue);
  const shown = membersOf(approval.editedArgs ?? approval.args);
  const fields = [...new Set([...exact.keys(), ...Object.keys(edited)])];
  const changed = fields.filter((field) => !isUnchanged(field, edited, exact, shown));
  const problems = changed
    .filter((field) => !approval.editable.includes(field))
    .map((field) => `'${field.slice(0, 64)}' may not be edited`);
  if (problems.length > 0) return refused(problems);
  if (changed.length === 0) return Object.freeze({ ok: true, arguments: undefined });
  const merged = membersOf(JSON.parse(approval.received) as JsonValue);
  for (const field of changed) {
    const value = Object.hasOwn(edited, field) ? edited[field] : undefined;
    if (value === undefined) merged.delete(field);
    else merged.set(field, value);
  }
  return Object.freeze({ ok: true, arguments: Object.fromEntries(merged) });
}

type Members = Map<string, JsonValue>;

function isUnchanged(field: string, edited: JsonObject, exact: Members, shown: Members): boolean {
  if (!Object.hasOwn(edited, field)) return !exact.has(field);
  if (!exact.has(field)) return false;
  const value = edited[field];
  return isDeepStrictEqual(value, exact.get(field)) || (shown.has(field) && isDeepStrictEqual(value, shown.get(field)));
}

function membersOf(value: JsonValue): Members {
  return new Map(typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : []);
}

const refused = (problems: readonly string[]): MergedEdit =>
  Object.freeze({ ok: false, problems: Object.freeze(problems) });

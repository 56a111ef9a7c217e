import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue } from '../contracts/json.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import { mayEdit } from './approver.rules.js';
import { HiddenParts, type PutBack } from './hidden.parts.js';
import { isMembers, shownMembers } from './shown.members.js';

/** Edited arguments to validate, with the hidden values that were put back into them; none when nothing differs; or what is wrong with them. */
export type MergedEdit =
  | { readonly ok: true; readonly arguments: JsonObject | undefined; readonly putBack: readonly PutBack[] }
  | { readonly ok: false; readonly problems: readonly string[] };

/** What an edit is held against. */
export type EditedApproval = Pick<
  StoredApproval,
  'approvers' | 'editable' | 'received' | 'validated' | 'args' | 'editedArgs'
>;

/**
 * An approver edits what was shown, which may be redacted; so whatever is left as it was shown, down to a part of a field, keeps its exact value, as
 * it was received. Only listed top-level fields may differ, where one person decides and `notRequester` is unset.
 *
 * @param placeholder what is shown for a hidden value: it may stay in its own place only
 */
export function mergeEdit(approval: EditedApproval, edit: JsonObject, placeholder: string): MergedEdit {
  if (!mayEdit(approval.approvers))
    return refused(['its arguments may not be edited, as more than the requester is asked']);
  if (approval.editable.length === 0) return refused(['its arguments may not be edited']);
  if (!isMembers(edit)) return refused(['arguments are an object']);
  const fields = fieldsOf(approval);
  const exact = membersOf(JSON.parse(approval.validated) as JsonValue);
  const received = membersOf(JSON.parse(approval.received) as JsonValue);
  const keys = new Map([...fields].map(([key, { name }]) => [name, key]));
  const edited = new Map(Object.entries(edit).map(([name, value]) => [keys.get(name) ?? name, value]));
  const changed = [...new Set([...exact.keys(), ...edited.keys()])].filter(
    (field) => !isUnchanged(edited.get(field), exact.get(field), fields.get(field)?.shown),
  );
  const problems = changed
    .filter((field) => !approval.editable.includes(field))
    .map((field) => `'${(fields.get(field)?.name ?? field).slice(0, 64)}' may not be edited`);
  if (problems.length > 0) return refused(problems);
  const parts = new HiddenParts(isDeepStrictEqual(shownOf(approval), Object.fromEntries(exact)) ? '' : placeholder);
  const merged = new Map(received);
  for (const field of changed) {
    const value = edited.get(field);
    const seen = { exact: exact.get(field), shown: fields.get(field)?.shown, received: received.get(field) };
    if (value === undefined) merged.delete(field);
    else merged.set(field, parts.restored(value, seen, [field]));
  }
  if (parts.left.length > 0) return refused(parts.left.map(misplaced));
  const args = changed.length === 0 ? undefined : Object.fromEntries(merged);
  return Object.freeze({ ok: true, arguments: args, putBack: Object.freeze(parts.putBack) });
}

type Members = Map<string, JsonValue>;

const shownOf = ({ editedArgs, args }: EditedApproval): JsonValue => editedArgs ?? args;

/** The top-level fields by their exact names: the name they are shown under, and what is shown of them. */
function fieldsOf(approval: EditedApproval): ReadonlyMap<string, { name: string; shown?: JsonValue }> {
  const exact = JSON.parse(approval.validated) as JsonValue;
  const shown = shownOf(approval);
  if (!isMembers(exact) || !isMembers(shown)) return new Map();
  return new Map(shownMembers(exact, shown).map(({ key, name = key, shown: value }) => [key, { name, shown: value }]));
}

function isUnchanged(value: JsonValue | undefined, exact?: JsonValue, shown?: JsonValue): boolean {
  if (value === undefined || exact === undefined) return value === exact;
  return isDeepStrictEqual(value, exact) || (shown !== undefined && isDeepStrictEqual(value, shown));
}

function membersOf(value: JsonValue): Members {
  return new Map(isMembers(value) ? Object.entries(value) : []);
}

const misplaced = (place: string): string =>
  `${place} holds what stands for a hidden value: leave it where it was shown, or write what is meant`;

const refused = (problems: readonly string[]): MergedEdit =>
  Object.freeze({ ok: false, problems: Object.freeze(problems) });

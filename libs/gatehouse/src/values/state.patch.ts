import { isDeepStrictEqual } from 'node:util';

import { createPatch, type Operation, type Pointer } from 'rfc6902';

import type { JsonValue } from '../contracts/json.js';
import type { StatePatchOperation } from '../contracts/run.events.js';

/** Finding the shortest patch of two lists takes the product of their lengths, in time and in memory. */
const MOST_COMPARED = 1_024;
/** Appliers refuse to patch what looks like a prototype. */
const REFUSED = /\/(__proto__|constructor\/prototype)(\/|$)/;

/**
 * The JSON Patch (RFC 6902) that turns one JSON value into another; empty for equal ones. Undefined where the new value itself says it better: the patch
 * would be as long, or an applier would refuse it.
 */
export function patchBetween(before: JsonValue, after: JsonValue): readonly StatePatchOperation[] | undefined {
  const patch = createPatch(before, after, comparedLists).map(operationOf);
  if (patch.length === 0) return [];
  if (patch.some(({ path }) => path === '' || REFUSED.test(path))) return undefined;
  return JSON.stringify(patch).length < JSON.stringify(after).length ? patch : undefined;
}

/** Long lists are only looked at for what was added to their end. */
function comparedLists(before: unknown, after: unknown, pointer: Pointer): Operation[] | undefined {
  if (!Array.isArray(before) || !Array.isArray(after)) return undefined;
  if (before.length * after.length <= MOST_COMPARED) return undefined;
  const grown = after.length >= before.length && before.every((member, at) => isDeepStrictEqual(member, after[at]));
  if (!grown) return [{ op: 'replace', path: pointer.toString(), value: after }];
  const end = pointer.add('-').toString();
  return after.slice(before.length).map((value: unknown) => ({ op: 'add', path: end, value }));
}

function operationOf(operation: Operation): StatePatchOperation {
  const { op, path } = operation;
  if (op === 'remove') return { op, path };
  if (op === 'add' || op === 'replace') return { op, path, value: operation.value as JsonValue };
  throw new Error(`A patch between two values holds no '${op}'.`);
}

import type { JsonObject, JsonValue } from '../../contracts/json.js';
import { checkArguments, parseArguments } from '../../values/argument-text.js';

/** What an output proposal asks for. */
export type OutputProposal =
  | { readonly kind: 'return'; readonly value: JsonValue }
  | { readonly kind: 'call'; readonly toolName: string; readonly args: JsonValue }
  | { readonly kind: 'raise'; readonly operationId: string }
  | { readonly kind: 'invalid'; readonly problem: string };

const KEYS = ['return', 'returnCall', 'raise'] as const;

/** Reads what a model proposed, as text or as a value. */
export const readProposal = (proposed: unknown): OutputProposal => {
  const parsed = typeof proposed === 'string' ? parseArguments(proposed) : checkArguments(proposed ?? {});
  if (!parsed.ok) return invalid(parsed.problem);
  const given = parsed.value;
  const keys = Object.keys(given);
  const [key] = keys;
  if (keys.length !== 1 || key === undefined || !isKey(key)) {
    return invalid('pass exactly one of return, returnCall and raise');
  }
  if (key === 'return') return { kind: 'return', value: given[key] ?? null };
  return key === 'raise' ? raising(given[key]) : calling(given[key]);
};

/** Whether a text beside calls is an output at all, and no remark. */
export const looksLikeProposal = (text: string): boolean => {
  const parsed = parseArguments(text);
  return parsed.ok && text.trim() !== '' && Object.keys(parsed.value).some(isKey);
};

const raising = (operationId: JsonValue | undefined): OutputProposal =>
  typeof operationId === 'string' ? { kind: 'raise', operationId } : invalid('raise: must be an operation id');

const calling = (call: JsonValue | undefined): OutputProposal => {
  const { toolName, args = {} } = isObject(call) ? call : {};
  if (typeof toolName === 'string') return { kind: 'call', toolName, args };
  return invalid('returnCall: must be { toolName, args }');
};

const isKey = (key: string): boolean => KEYS.some((known) => known === key);

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const invalid = (problem: string): OutputProposal => ({ kind: 'invalid', problem });

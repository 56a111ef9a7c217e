import { DESTRUCTIVE_METADATA_KEY } from '../contracts/tokens.js';
import type { JsonObject, JsonValue } from '../contracts/json.js';
import type { UnjudgedTool } from '../contracts/tool.definition.js';

/** Whether a tool changes something that matters, and which vocabulary says so. */
export interface DestructiveVerdict {
  readonly destructive: boolean;
  readonly why: string;
}

/**
 * Reads every vocabulary in which a tool can call itself destructive. Silence is no claim; an explicit `destructive: false` overrides hints
 * and schema; a remote tool is destructive whatever it says. Idea: the tool guard of Django Spec Agents.
 */
export function judgeDestructive(tool: UnjudgedTool): DestructiveVerdict {
  if (isRemote(tool)) return yes(`tool of the remote source '${tool.source}'`);
  if (tool.declaredDestructive === true) return yes('declared destructive');
  if (tool.declaredDestructive === false) return no('declared not destructive');
  if (tool.metadata[DESTRUCTIVE_METADATA_KEY] === true) return yes(`metadata '${DESTRUCTIVE_METADATA_KEY}'`);
  if (hintsOf(tool).some((hints) => hints['readOnlyHint'] === false)) return yes('readOnlyHint: false');
  if (tool.parameters['x-destructive'] === true) return yes("'x-destructive' of its schema");
  return no('not destructive');
}

/** `destructiveHint: true` alone is in no vocabulary of the gate: easily taken for a claim. */
export function onlyHintsDestruction(tool: UnjudgedTool): boolean {
  return hintsOf(tool).some((hints) => hints['destructiveHint'] === true && !('readOnlyHint' in hints));
}

// A source of this process is `Class#method`, a remote one its namespace.
function isRemote({ kind, source }: UnjudgedTool): boolean {
  return kind === 'function' && !source.includes('#');
}

function hintsOf({ annotations, metadata }: UnjudgedTool): readonly JsonObject[] {
  return [annotations, metadata['annotations']].filter(isObject);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const yes = (why: string): DestructiveVerdict => Object.freeze({ destructive: true, why });
const no = (why: string): DestructiveVerdict => Object.freeze({ destructive: false, why });

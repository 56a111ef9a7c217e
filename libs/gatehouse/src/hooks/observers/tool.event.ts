import type { JsonValue } from '../../contracts/json.js';
import type { HookCall } from '../../contracts/roles.js';
import { wholeStart } from '../../values/cut.js';
import type { Redactor } from '../../values/redactor.js';

const LONGEST_ARGUMENT = 120;

/** What every tool event says. The ids are those of the run, where the call belongs to one. */
export interface ToolEvent {
  readonly toolName: string;
  readonly runId?: string;
  readonly threadId?: string;
  readonly operationId?: string;
  /** From the state, where it has them. */
  readonly sessionId?: string;
  readonly projectId?: string;
}

/** `tool.before`: arguments redacted; longer ones cut at 120 characters, nested ones as JSON text. */
export interface ToolBeforeEvent extends ToolEvent {
  readonly args: Readonly<Record<string, JsonValue>>;
}

/** `tool.after`: a preview, and the length of the whole result. */
export interface ToolAfterEvent extends ToolEvent {
  /** Milliseconds, to two decimals. */
  readonly durationMs: number;
  readonly resultPreview: string;
  /** UTF-16 units of the text, or of the JSON. */
  readonly resultLength: number;
}

/** `tool.error`. */
export interface ToolErrorEvent extends ToolEvent {
  readonly errorType: string;
  readonly errorMessage: string;
}

/** The text as it is, or its start and `...` where it is longer. */
export const preview = (text: string, longest: number): string =>
  text.length <= longest ? text : `${wholeStart(text, longest)}...`;

export function factsOf({ toolName, state, call }: HookCall): ToolEvent {
  return {
    toolName,
    ...(call && { runId: call.runId, threadId: call.threadId, operationId: call.operationId }),
    ...textsOf(state, ['sessionId', 'projectId']),
  };
}

export function shownArguments(args: unknown, redactor: Redactor): Readonly<Record<string, JsonValue>> {
  const shown = redactor.redact(args ?? {});
  const members = typeof shown === 'object' && shown !== null ? Object.entries(shown) : [['value', shown] as const];
  return Object.fromEntries(members.map(([name, value]) => [name, shownArgument(value)]));
}

function shownArgument(value: JsonValue): JsonValue {
  if (typeof value === 'string') return preview(value, LONGEST_ARGUMENT);
  return typeof value === 'object' && value !== null ? preview(JSON.stringify(value), LONGEST_ARGUMENT) : value;
}

function textsOf(state: unknown, names: readonly string[]): Readonly<Record<string, string>> {
  if (typeof state !== 'object' || state === null) return {};
  const members = names.map((name) => [name, Reflect.get(state, name) as unknown] as const);
  return Object.fromEntries(members.filter((member): member is [string, string] => isText(member[1])));
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== '';

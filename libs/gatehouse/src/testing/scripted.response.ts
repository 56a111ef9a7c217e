import type { ProposedCall } from '../contracts/operation.js';

/** One thing a scripted model says: text, or a call. */
export type ScriptedPart = string | ProposedCall;

/** One scripted model response: its text and calls, in emission order. */
export type ScriptedParts = readonly ScriptedPart[];

/**
 * A call a scripted model proposes.
 *
 * @param name - The tool, known or not.
 * @param args - A value, or the model's own text, malformed or not. Default: `{}`.
 * @param toolCallId - Default: a fresh one.
 */
export const call = (name: string, args: unknown = {}, toolCallId?: string): ProposedCall =>
  Object.freeze({ toolName: name, args, ...(toolCallId === undefined ? {} : { toolCallId }) });

/** Text a scripted model says. The same as the bare string; reads better in a list of calls. */
export const says = (text: string): string => text;

/** The text of a response. */
export const textOf = (parts: ScriptedParts): string => parts.filter((part) => typeof part === 'string').join('');

/** The calls of a response, in order. */
export const callsOf = (parts: ScriptedParts): readonly ProposedCall[] =>
  parts.filter((part) => typeof part !== 'string');

/** The response at a place of a script. Throws where the script is too short: a story that goes on longer than it was told is a failure. */
export const responseAt = <T>(script: readonly T[], index: number): T => {
  const response = script[index];
  if (response === undefined) {
    throw new Error(`The script has ${script.length} responses, but the model was asked for number ${index + 1}.`);
  }
  return response;
};

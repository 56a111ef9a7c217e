/** Most UTF-8 bytes of a call's arguments, as text and in canonical form. */
export const MAX_ARGUMENT_BYTES = 256 * 1024;

/** Most levels of objects and arrays in a call's arguments; the arguments object itself is level 1. */
export const MAX_ARGUMENT_DEPTH = 64;

/** Keys through which code that merges or walks objects can be made to write to a prototype. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Refuses arguments. The message is for the model: it says what and where, and never repeats a value. */
export class ArgumentProblem extends Error {
  override readonly name = 'ArgumentProblem';
}

export const tooLarge = (): ArgumentProblem =>
  new ArgumentProblem(`The arguments are larger than ${MAX_ARGUMENT_BYTES / 1024} KiB. Send less.`);

export const tooDeep = (): ArgumentProblem =>
  new ArgumentProblem(`The arguments are nested deeper than ${MAX_ARGUMENT_DEPTH} levels. Nest less.`);

import type { JsonObject, JsonValue } from '../contracts/json.js';
import { ArgumentProblem, MAX_ARGUMENT_BYTES, tooLarge } from './argument-limits.js';
import { copyArguments } from './argument-value.copy.js';
import { canonicalText } from './canonical-json.js';
import { scanJsonText } from './json-text.scan.js';

/** Arguments that keep the rules, with their RFC 8785 text; or what is wrong with them, in words the model may read. */
export type CheckedArguments =
  | { readonly ok: true; readonly value: JsonObject; readonly canonical: string }
  | { readonly ok: false; readonly problem: string };

const WHITE_SPACE_ONLY = /^[ \t\n\r]*$/;

/**
 * Reads the arguments of a call as a model wrote them. Refused: text over 256 KiB, nesting over 64, a key given twice,
 * the keys `__proto__` `constructor` `prototype`, lone surrogates, numbers that are not finite, integers beyond 2^53−1,
 * anything but an object. Empty text is `{}`; −0 is 0; strings stay as they are. Never throws.
 */
export function parseArguments(text: string): CheckedArguments {
  return answer(() => {
    if (Buffer.byteLength(text, 'utf8') > MAX_ARGUMENT_BYTES) throw tooLarge();
    if (WHITE_SPACE_ONLY.test(text)) return {};
    const parsed = parse(text);
    scanJsonText(text);
    return parsed;
  });
}

/**
 * The same rules for arguments that arrive as a live value: direct calls, and models whose client parses. Members that
 * are `undefined` are dropped; cycles, functions, symbols, bigints and class instances are refused. What comes back is
 * a copy. Never throws.
 */
export function checkArguments(value: unknown): CheckedArguments {
  return answer(() => value);
}

function answer(read: () => unknown): CheckedArguments {
  try {
    const value = copyArguments(read());
    if (!isObject(value)) throw new ArgumentProblem('The arguments are not a JSON object. Write an object.');
    const canonical = canonicalText(value);
    if (Buffer.byteLength(canonical, 'utf8') > MAX_ARGUMENT_BYTES) throw tooLarge();
    return Object.freeze({ ok: true, value, canonical });
  } catch (error) {
    return Object.freeze({ ok: false, problem: problemOf(error) });
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ArgumentProblem(`The arguments are not valid JSON${whereBroken(String(error))}. Write one JSON object.`);
  }
}

// The engine's own message may quote the text, so only its position goes on.
function whereBroken(message: string): string {
  if (/end of JSON input|unterminated/i.test(message)) return ': the text ends too early';
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : `: broken at character ${Number(position) + 1}`;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function problemOf(error: unknown): string {
  // The rest comes from reading a live value: a getter or proxy that throws.
  return error instanceof ArgumentProblem ? error.message : 'The arguments could not be read. Pass plain JSON.';
}

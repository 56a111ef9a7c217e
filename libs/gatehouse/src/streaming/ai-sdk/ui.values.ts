import type { JsonValue } from '../../contracts/json.js';

/** A result's content as a client's value: nothing is null, an object or a list is itself, all else is the text that the model read. */
export function outputOf(content: string): JsonValue {
  if (content === '') return null;
  const value = /^\s*[[{]/.test(content) ? parsed(content) : undefined;
  return value ?? content;
}

/** What a JSON text holds; nothing where it is none. */
export function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

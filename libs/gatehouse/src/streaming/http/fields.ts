import type { JsonObject } from '../../contracts/json.js';
import { badField } from './problem.error.js';

const WIRE_ID = /^[\x20-\x7e]{1,128}$/;

/** Whether a text may name something on the wire: 1 to 128 printable ASCII characters. */
export const isWireId = (value: unknown): value is string => typeof value === 'string' && WIRE_ID.test(value);

/** An object out of parsed JSON. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The body of a request, which must be an object. */
export function bodyOf(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw badField('The body', 'must be a JSON object');
}

/** A name of the client's own: 1 to 128 printable ASCII characters. */
export function wireId(value: unknown, field: string): string {
  if (isWireId(value)) return value;
  throw badField(field, 'must be 1 to 128 printable ASCII characters');
}

/** Text up to `longest` characters, or nothing. Null is nothing. */
export function optionalText(value: unknown, field: string, longest: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value.length <= longest) return value;
  throw badField(field, `must be text of at most ${longest} characters`);
}

/** A list; nothing is an empty one. */
export function optionalList(value: unknown, field: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw badField(field, 'must be a list');
}

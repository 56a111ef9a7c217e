import type { JsonSchema, JsonValue } from '../../contracts/json.js';

/** Members of these are schemas by names of the author's: a property may well be called `const`. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
]);

/** Values of these are values, whatever they look like. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);

/**
 * A schema as part of another one: references that count from the root count from there now. What goes by an anchor or by a `$id` is found wherever
 * it stands, and so is what is below a `$id`: it is a root of its own.
 *
 * @param to a JSON pointer
 */
export function movedReferences(schema: JsonSchema, to: string): JsonSchema {
  const ofSchema = (value: JsonValue): JsonValue => {
    if (!isObject(value)) return Array.isArray(value) ? (value as readonly JsonValue[]).map(ofSchema) : value;
    return isRoot(value) ? value : membersOf(value, ofKeyword);
  };
  const ofKeyword = (key: string, member: JsonValue): JsonValue => {
    if (key === '$ref') return isPointer(member) ? `#${to}${member.slice(1)}` : member;
    if (VALUES.has(key)) return member;
    return NAMED.has(key) && isObject(member) ? membersOf(member, (_name, named) => ofSchema(named)) : ofSchema(member);
  };
  return ofSchema(schema) as JsonSchema;
}

const membersOf = (value: JsonSchema, made: (key: string, member: JsonValue) => JsonValue): JsonSchema =>
  Object.fromEntries(Object.entries(value).map(([key, member]): [string, JsonValue] => [key, made(key, member)]));

const isObject = (value: JsonValue): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPointer = (reference: JsonValue): reference is string =>
  typeof reference === 'string' && (reference === '#' || reference.startsWith('#/'));

/** In draft 07 a `$id` that begins with # is an anchor. */
const isRoot = ({ $id: id }: JsonSchema): boolean => typeof id === 'string' && !id.startsWith('#');

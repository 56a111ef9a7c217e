/** A JSON scalar. */
export type JsonPrimitive = string | number | boolean | null;

/** Anything that survives a round trip through JSON text unchanged. */
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** A JSON Schema document (draft 2020-12 or 07), as offered to a model. */
export type JsonSchema = JsonObject;

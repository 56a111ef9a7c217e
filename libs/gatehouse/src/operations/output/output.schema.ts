import type { Type } from '@nestjs/common';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { Awaitable } from '../../contracts/awaitable.js';
import type { JsonSchema, JsonValue } from '../../contracts/json.js';
import type { ValidationResult } from '../../tools/schemas/argument.schema.js';
import { movedReferences } from '../../tools/schemas/moved.references.js';
import { DtoArguments } from '../../tools/schemas/dto.arguments.js';
import { dtoJsonSchema, isDto } from '../../tools/schemas/dto.json-schema.js';
import { JsonSchemaArguments } from '../../tools/schemas/raw.json-schema.js';
import { standardJsonSchema } from '../../tools/schemas/standard.json-schema.js';
import { hasStandardSchema, StandardArguments } from '../../tools/schemas/standard.schema.js';

/** Where the schema of the value stands in the one that is offered. */
const RETURN = '/properties/return';

/** How the value of an output is described to models, and checked. Not only objects: a number is a result too. */
export interface OutputSchema {
  /** To stand at `properties.return` of the schema that is offered. */
  readonly json: JsonSchema;
  readonly validate: (value: unknown) => Awaitable<ValidationResult>;
}

/** @throws ConfigurationError for a schema that cannot be used */
export function outputSchema(source: unknown, label: string): OutputSchema {
  if (hasStandardSchema(source)) {
    return ofArguments(new StandardArguments(source, standardJsonSchema(source, label)));
  }
  if (typeof source === 'function') return ofDto(source as Type<object>, label);
  if (typeof source !== 'object' || source === null) throw noSchema(label);
  const json = movedReferences(source as JsonSchema, RETURN);
  const wrapped = new JsonSchemaArguments(around(json), label);
  return {
    json,
    validate: (value) => {
      const checked = wrapped.validate({ return: value as JsonValue });
      return checked.ok ? { ok: true, value } : checked;
    },
  };
}

function ofDto(type: Type<object>, label: string): OutputSchema {
  if (!isDto(type)) throw noSchema(label);
  const schema = ofArguments(new DtoArguments(type, dtoJsonSchema(type, label)));
  // class-transformer maps lists and passes scalars through: neither is the class.
  const validate: OutputSchema['validate'] = (value) =>
    isObject(value) ? schema.validate(value) : { ok: false, problems: ['return: must be an object'] };
  return { json: schema.json, validate };
}

const ofArguments = (schema: StandardArguments | DtoArguments): OutputSchema => ({
  json: movedReferences(schema.json, RETURN),
  validate: (value) => schema.validate(value as JsonValue),
});

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const around = (json: JsonSchema): JsonSchema => ({
  ...(json['$schema'] === undefined ? {} : { $schema: json['$schema'] }),
  type: 'object',
  properties: { return: withoutDialect(json) },
  required: ['return'],
});

const withoutDialect = ({ $schema: _dialect, ...json }: JsonSchema): JsonSchema => json;

const noSchema = (label: string): ConfigurationError =>
  new ConfigurationError(
    `${label} has no usable schema: pass a class with class-validator decorators, a Standard Schema such as zod's, or a JSON Schema.`,
  );

import type { Type } from '@nestjs/common';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { JsonSchema } from '../../contracts/json.js';
import { ToolCall } from '../../contracts/tool.call.js';
import type { ArgumentSchema } from './argument.schema.js';
import { DtoArguments } from './dto.arguments.js';
import { dtoJsonSchema, isDto } from './dto.json-schema.js';
import { noParameters } from './no.parameters.js';
import { JsonSchemaArguments } from './raw.json-schema.js';
import { hasStandardSchema, StandardArguments } from './standard.schema.js';
import { standardJsonSchema } from './standard.json-schema.js';

/** What is known of a tool method's parameters. */
export interface ParameterFacts {
  /** `Class#method`. */
  readonly label: string;
  /** What `@Tool` names. */
  readonly source?: unknown;
  /** What the compiler wrote down; nothing where it writes no metadata. */
  readonly types?: readonly unknown[];
  /** How many parameters the method declares. */
  readonly length: number;
}

// What a parameter's type looks like at run time where it is an interface, a literal, a union or a primitive.
const SAYS_NOTHING: readonly unknown[] = [
  Object,
  String,
  Number,
  Boolean,
  Array,
  Function,
  Promise,
  Symbol,
  BigInt,
  Date,
  Map,
  Set,
];

/**
 * The schema of a tool's arguments: from `parameters`, else the DTO class of the first parameter, else none where it takes nothing.
 *
 * @throws ConfigurationError where there is none to be found, or it cannot be used
 */
export function argumentSchema({ label, source, types, length }: ParameterFacts): ArgumentSchema {
  if (hasStandardSchema(source)) return new StandardArguments(source, standardJsonSchema(source, label));
  if (typeof source === 'function') return dtoArguments(source as Type<object>, label);
  if (source !== undefined) return new JsonSchemaArguments(source as JsonSchema, label);
  const first = types?.[0];
  if (types === undefined ? length === 0 : types.length === 0) return noParameters;
  if (first === ToolCall) {
    throw new ConfigurationError(
      `${label}: the arguments come first: write (args: Dto, call: ToolCall), with parameters: Dto where it needs none.`,
    );
  }
  if (typeof first !== 'function' || SAYS_NOTHING.includes(first)) throw nothingKnown(label, types !== undefined);
  return dtoArguments(first as Type<object>, label);
}

function dtoArguments(type: Type<object>, label: string): DtoArguments {
  if (!isDto(type)) {
    throw new ConfigurationError(
      `${label}: ${type.name || 'its parameter class'} has no class-validator decorators, so nothing could be checked. ` +
        `Decorate its members (and have only one class-validator installed), or pass parameters: Dto, a Standard Schema or JSON Schema.`,
    );
  }
  return new DtoArguments(type, dtoJsonSchema(type, label));
}

const nothingKnown = (label: string, compiled: boolean): ConfigurationError =>
  new ConfigurationError(
    `${label}: no schema for its arguments is to be found: ` +
      (compiled
        ? 'the type of its first parameter is not a class. '
        : "the compiler wrote no types down (emitDecoratorMetadata, and a DTO class imported as a value, not by 'import type'). ") +
      `Pass parameters: Dto (a class with class-validator decorators), a Standard Schema such as zod's, or a JSON Schema.`,
  );

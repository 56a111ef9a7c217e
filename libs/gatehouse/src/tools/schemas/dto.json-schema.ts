import type { Type } from '@nestjs/common';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, IS_DATE_STRING, IS_ENUM, IS_ISO8601, ValidationTypes } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import type { ISchemaConverters } from 'class-validator-jsonschema/build/defaultConverters.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { JsonObject, JsonSchema } from '../../contracts/json.js';
import { frozenCopy } from '../../values/deep-freeze.js';

/** Whether class-validator knows any rule of a class. */
export const isDto = (type: Type<object>): boolean =>
  getMetadataStorage().getTargetValidationMetadatas(type, '', false, false).length > 0;

/**
 * The JSON Schema of a DTO class and of the classes nested in it, under `$defs`. Members no decorator names are not allowed.
 *
 * @throws ConfigurationError for a nested member whose class is not known
 */
export function dtoJsonSchema(type: Type<object>, label: string): JsonSchema {
  const nested = new NestedClasses();
  const root = schemaOf(type, nested, label);
  const definitions = new Map<string, JsonObject>();
  // Each one may name further ones; a Map goes on with what is added while it is walked.
  for (const [child, name] of nested.names) definitions.set(name, schemaOf(child, nested, label));
  return frozenCopy(definitions.size === 0 ? root : { ...root, $defs: Object.fromEntries(definitions) });
}

function schemaOf(type: Type<object>, nested: NestedClasses, label: string): JsonObject {
  const schema = targetConstructorToSchema(type, {
    classTransformerMetadataStorage: defaultMetadataStorage as never,
    additionalConverters: converters(nested, label),
  });
  // JSON has no undefined, and no class instances.
  return { additionalProperties: false, ...(JSON.parse(JSON.stringify(schema)) as JsonObject) };
}

/** Names for nested classes: their own, numbered where two share one. */
class NestedClasses {
  readonly names = new Map<Type<object>, string>();

  referTo(type: Type<object>): string {
    const known = this.names.get(type);
    if (known !== undefined) return known;
    const taken = [...this.names.values()];
    let name = type.name;
    for (let next = 2; taken.includes(name); next += 1) name = `${type.name}${next}`;
    this.names.set(type, name);
    return name;
  }
}

const converters = (nested: NestedClasses, label: string): ISchemaConverters => ({
  [ValidationTypes.NESTED_VALIDATION]: ({ target, propertyName }) => {
    if (typeof target !== 'function') return {};
    const typed = defaultMetadataStorage.findTypeMetadata(target, propertyName);
    const subTypes = typed?.options.discriminator?.subTypes.map(({ value }) => value as Type<object>);
    if (subTypes !== undefined) return { anyOf: subTypes.map((each) => ({ $ref: `#/$defs/${nested.referTo(each)}` })) };
    const design = Reflect.getMetadata('design:type', target.prototype as object, propertyName) as
      Type<object> | undefined;
    const child = (typed?.typeFunction() as Type<object> | undefined) ?? design;
    if (child === undefined || child === Object || child === Array) {
      throw new ConfigurationError(
        `${label}: ${target.name}.${propertyName} is nested, but nobody knows its class. Add @Type(() => TheClass) beside @ValidateNested().`,
      );
    }
    return { $ref: `#/$defs/${nested.referTo(child)}` };
  },
  [IS_ENUM]: ({ constraints }) => ({ enum: membersOf(constraints?.[0] as object) }),
  // The library's own pattern asks for milliseconds, the validator does not.
  [IS_DATE_STRING]: { type: 'string', format: 'date-time' },
  [IS_ISO8601]: { type: 'string', format: 'date-time' },
});

/** The values of an enum, without the names that a numeric enum lists among them. */
function membersOf(entity: object): (string | number)[] {
  const members = Object.entries(entity).filter(([key]) => !/^-?\d+(\.\d+)?$/.test(key));
  return members.map(([, value]) => value as string | number);
}

import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { JsonSchema } from '../../contracts/json.js';
import { errorMessage } from '../../values/error-text.js';

type Props = StandardSchemaV1['~standard'] & { readonly jsonSchema?: StandardJSONSchemaV1.Converter };

/**
 * The JSON Schema of what a Standard Schema takes in.
 *
 * @throws ConfigurationError where the library cannot say it
 */
export function standardJsonSchema(schema: StandardSchemaV1, label: string): JsonSchema {
  const props: Props = schema['~standard'];
  const say = props.jsonSchema
    ? () => props.jsonSchema?.input({ target: 'draft-2020-12', libraryOptions: optionsOf(props) })
    : olderZod(schema);
  if (say === undefined) {
    throw new ConfigurationError(
      `${label}: its ${props.vendor} schema cannot describe itself as JSON Schema (no '~standard'.jsonSchema). ` +
        `Update ${props.vendor}, wrap the schema with its JSON Schema converter, or pass parameters as raw JSON Schema.`,
    );
  }
  try {
    const { $schema: _dialect, ...json } = JSON.parse(JSON.stringify(say())) as Record<string, JsonSchema[string]>;
    return json;
  } catch (error) {
    throw new ConfigurationError(
      `${label}: its ${props.vendor} schema cannot be written as JSON Schema: ${errorMessage(error)} ` +
        `Describe what the model sends (text, numbers, lists, objects) and convert it with a transform.`,
      { cause: error },
    );
  }
}

// zod 4.0 and 4.1 had the method before the standard had the converter.
function olderZod(schema: StandardSchemaV1): (() => unknown) | undefined {
  const convert: unknown = Reflect.get(schema, 'toJSONSchema');
  if (schema['~standard'].vendor !== 'zod' || typeof convert !== 'function') return undefined;
  return () => Reflect.apply(convert, schema, [{ io: 'input', ...ZOD }]) as unknown;
}

const optionsOf = ({ vendor }: Props): Record<string, unknown> | undefined => (vendor === 'zod' ? ZOD : undefined);

interface ZodSite {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string; readonly coerce?: boolean } } };
}

// A coerced date or bigint takes text in; everything else zod cannot represent could never arrive as JSON.
const ZOD = {
  unrepresentable: ({ zodSchema }: ZodSite): unknown => {
    const { type, coerce } = zodSchema._zod.def;
    if (coerce === true && type === 'date') return { type: 'string', format: 'date-time' };
    if (coerce === true && type === 'bigint') return { type: 'string', pattern: '^-?[0-9]+$' };
    return 'throw';
  },
};

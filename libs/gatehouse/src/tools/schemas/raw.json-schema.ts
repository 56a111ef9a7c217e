import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { JsonSchema, JsonValue } from '../../contracts/json.js';
import { frozenCopy } from '../../values/deep-freeze.js';
import { errorMessage } from '../../values/error-text.js';
import type { ArgumentSchema, ValidationResult } from './argument.schema.js';
import { boundedProblems, problemAt } from './problem.text.js';

// Formats stay hints, as the drafts have it. Unknown keywords are errors: a misspelled `required` would require nothing.
const OPTIONS: Options = {
  allErrors: true,
  validateFormats: false,
  strictTypes: false,
  strictTuples: false,
  strictRequired: false,
};

/** Arguments checked by a JSON Schema as its author wrote it: draft 2020-12, or 07 where `$schema` says so. */
export class JsonSchemaArguments implements ArgumentSchema {
  readonly json: JsonSchema;
  private readonly check: ValidateFunction;

  /** @throws ConfigurationError for a schema that does not compile or does not describe an object */
  constructor(schema: JsonSchema, label: string) {
    if (schema['type'] !== 'object') {
      throw new ConfigurationError(
        `${label}: its JSON Schema must have type 'object' at the root: arguments are an object.`,
      );
    }
    try {
      this.json = frozenCopy(schema);
      this.check = compilerFor(schema).compile(schema);
    } catch (error) {
      throw new ConfigurationError(`${label}: its JSON Schema does not compile: ${errorMessage(error)}`, {
        cause: error,
      });
    }
  }

  validate(value: JsonValue): ValidationResult {
    if (this.check(value)) return { ok: true, value };
    return { ok: false, problems: boundedProblems((this.check.errors ?? []).map(problem)) };
  }
}

function compilerFor(schema: JsonSchema): Ajv | Ajv2020 {
  const dialect = schema['$schema'];
  const seven = typeof dialect === 'string' && dialect.includes('draft-07');
  const ajv = seven ? new Ajv(OPTIONS) : new Ajv2020(OPTIONS);
  return ajv.addVocabulary([...extensionsIn(schema)]);
}

/** Keywords such as `x-destructive` that an author may add anywhere. */
function extensionsIn(value: JsonValue | undefined, found = new Set<string>()): Set<string> {
  if (typeof value !== 'object' || value === null) return found;
  for (const [key, member] of Object.entries(value)) {
    if (key.startsWith('x-')) found.add(key);
    extensionsIn(member, found);
  }
  return found;
}

function problem({ instancePath, keyword, message = 'is not valid', params }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const named: unknown = keyword === 'enum' ? (params as { allowedValues?: unknown }).allowedValues : undefined;
  const extra: unknown = (params as { additionalProperty?: unknown }).additionalProperty;
  if (typeof extra === 'string') return problemAt([...path, extra], 'is not a known property');
  return problemAt(path, named === undefined ? message : `${message}: ${JSON.stringify(named)}`);
}

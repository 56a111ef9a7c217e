import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Awaitable } from '../../contracts/awaitable.js';
import type { JsonSchema } from '../../contracts/json.js';
import { isPending } from '../../values/pending.js';
import type { ArgumentSchema, ValidationResult } from './argument.schema.js';
import { boundedProblems, problemAt } from './problem.text.js';

/** Whether a value is a Standard Schema. Some libraries make them functions. */
export const hasStandardSchema = (source: unknown): source is StandardSchemaV1 =>
  ((typeof source === 'object' && source !== null) || typeof source === 'function') && '~standard' in source;

/** Arguments checked by zod, valibot, arktype or any other Standard Schema; what the schema gives out is what the method gets. */
export class StandardArguments implements ArgumentSchema {
  constructor(
    private readonly schema: StandardSchemaV1,
    readonly json: JsonSchema,
  ) {}

  validate(value: unknown): Awaitable<ValidationResult> {
    const result = this.schema['~standard'].validate(value);
    return isPending(result) ? result.then(resultOf) : resultOf(result);
  }
}

const resultOf = (result: StandardSchemaV1.Result<unknown>): ValidationResult => {
  if (result.issues === undefined) return { ok: true, value: result.value };
  return {
    ok: false,
    problems: boundedProblems(result.issues.map((issue) => problemAt(pathOf(issue), issue.message))),
  };
};

const pathOf = ({ path = [] }: StandardSchemaV1.Issue): PropertyKey[] =>
  path.map((segment) => (typeof segment === 'object' ? segment.key : segment));

import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validate, type ValidationError } from 'class-validator';
import type { JsonSchema, JsonValue } from '../../contracts/json.js';
import type { ArgumentSchema, ValidationResult } from './argument.schema.js';
import { boundedProblems, problemAt } from './problem.text.js';

const RULES = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
} as const;

/** Arguments checked by the decorators of a DTO class. A member the class does not know is refused: it is the model's mistake. */
export class DtoArguments implements ArgumentSchema {
  constructor(
    readonly metatype: Type<object>,
    readonly json: JsonSchema,
  ) {}

  async validate(value: JsonValue): Promise<ValidationResult> {
    const instance = this.revive(value);
    const problems = (await validate(instance, RULES)).flatMap((error) => problemsOf(error, []));
    return problems.length === 0 ? { ok: true, value: instance } : { ok: false, problems: boundedProblems(problems) };
  }

  revive(validated: JsonValue): object {
    // Without implicit conversion: it would turn the text "false" into true.
    return plainToInstance<object, JsonValue>(this.metatype, validated, { enableImplicitConversion: false });
  }
}

function problemsOf(
  { property, constraints = {}, children = [] }: ValidationError,
  above: readonly string[],
): string[] {
  const path = property === undefined ? above : [...above, property];
  const own = Object.values(constraints).map((message) => problemAt(path, message));
  return [...own, ...children.flatMap((child) => problemsOf(child, path))];
}

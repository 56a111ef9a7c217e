import type { ArgumentSchema, ValidationResult } from './argument.schema.js';
import { boundedProblems } from './problem.text.js';

const EMPTY = Object.freeze({ type: 'object', properties: Object.freeze({}), additionalProperties: false });

/** The schema of a method without parameters: nothing may be sent. */
export const noParameters: ArgumentSchema = Object.freeze({
  json: EMPTY,
  validate: async (value): Promise<ValidationResult> => {
    const sent = Object.keys(value ?? {});
    if (sent.length === 0) return { ok: true, value };
    return { ok: false, problems: boundedProblems(sent.map((key) => `${key}: the tool takes no arguments`)) };
  },
} satisfies ArgumentSchema);

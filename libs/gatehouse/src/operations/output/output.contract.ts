import { FINAL_OUTPUT, type OutputSpec } from '../../contracts/output.js';
import type { JsonObject, JsonSchema } from '../../contracts/json.js';
import type { ToolDefinition } from '../../contracts/tool.definition.js';
import { toolFingerprint } from '../../tools/tool.fingerprint.js';
import { frozenCopy } from '../../values/deep-freeze.js';
import { outputSchema, type OutputSchema } from './output.schema.js';

/** An `OutputSpec` with its defaults filled in and its schema ready. */
export interface OutputContract {
  readonly mode: 'tool' | 'native';
  readonly endStrategy: 'graceful' | 'early';
  readonly allowRaise: boolean;
  /** Absent: the run's limit. */
  readonly retries?: number;
  /** What is offered, or, in native mode, what the text must follow. */
  readonly definition: ToolDefinition;
  readonly validate: OutputSchema['validate'];
}

/** @throws ConfigurationError for a schema that cannot be used */
export const outputContract = (spec: OutputSpec, label: string): OutputContract => {
  const { mode = 'tool', endStrategy = 'graceful', allowRaise = false, retries } = spec;
  const { json, validate } = outputSchema(spec.schema, label);
  const definition = definitionOf(proposalSchema(json, allowRaise), allowRaise);
  return Object.freeze({ mode, endStrategy, allowRaise, retries, definition, validate });
};

const proposalSchema = (json: JsonSchema, allowRaise: boolean): JsonSchema => {
  const { $schema: dialect, ...value } = json;
  return frozenCopy({
    ...(dialect === undefined ? {} : { $schema: dialect }),
    type: 'object',
    properties: {
      return: value,
      returnCall: RETURN_CALL,
      ...(allowRaise ? { raise: RAISE } : {}),
    },
    additionalProperties: false,
  });
};

const RETURN_CALL: JsonObject = {
  type: 'object',
  description: 'A tool to call now: its result is the final result.',
  properties: { toolName: { type: 'string' }, args: { type: 'object' } },
  required: ['toolName'],
  additionalProperties: false,
};

const RAISE: JsonObject = { type: 'string', description: 'The operation id of a failed call: ends with its error.' };

const definitionOf = (parameters: JsonSchema, allowRaise: boolean): ToolDefinition => {
  const source = 'gatehouse';
  return Object.freeze({
    name: FINAL_OUTPUT,
    description:
      'Gives the final result and ends the task. Pass exactly one of: return, the result itself; returnCall, a tool call whose result it is' +
      (allowRaise ? '; raise, the id of a failed operation that cannot be recovered from.' : '.'),
    parameters,
    kind: 'output' as const,
    source,
    destructive: false,
    gate: Object.freeze({ gated: false, why: 'an output is never gated' }),
    annotations: Object.freeze({}),
    metadata: Object.freeze({}),
    fingerprint: toolFingerprint({ source, parameters, destructive: false }),
  });
};

import type { JsonObject, JsonSchema } from '../contracts/json.js';
import type { ToolDefinition } from '../contracts/tool.definition.js';
import { editableFields } from './approver.rules.js';

/** JSON Schema of a person's answer: `approved`, `reason`, and where the tool lets it be edited `editedArgs`, as a whole. */
export function responseSchema(tool: Pick<ToolDefinition, 'parameters' | 'approval'>): JsonSchema {
  const answer = {
    approved: { type: 'boolean', description: 'Whether the call may run with the arguments that were shown.' },
    reason: { type: 'string', description: 'Shown to the model on a denial.' },
  };
  const editable = editableFields(tool.approval);
  if (editable.length === 0) return schemaOf(answer, {});
  const { definitions, schema } = withoutDefinitions(tool.parameters);
  const description = `Replaces the arguments as a whole; only these may differ: ${editable.join(', ')}.`;
  return schemaOf({ ...answer, editedArgs: { ...schema, description } }, definitions);
}

function schemaOf(properties: JsonObject, definitions: JsonObject): JsonSchema {
  return { type: 'object', properties, required: ['approved'], ...definitions };
}

// References such as `#/$defs/Money` count from the root, so what they name must stand there again.
function withoutDefinitions(parameters: JsonSchema): { readonly definitions: JsonObject; readonly schema: JsonObject } {
  const isDefinition = (key: string): boolean => key === '$defs' || key === 'definitions';
  const isOurs = (key: string): boolean => key === '$schema' || key === '$id' || key === 'x-destructive';
  const entries = Object.entries(parameters);
  return {
    definitions: Object.fromEntries(entries.filter(([key]) => isDefinition(key))),
    schema: Object.fromEntries(entries.filter(([key]) => !isDefinition(key) && !isOurs(key))),
  };
}

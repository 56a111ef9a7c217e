import { jsonSchema, type ToolSet } from 'ai';
import type { ToolDefinition } from '../../contracts/tool.definition.js';

type SchemaDocument = Parameters<typeof jsonSchema>[0];

/** The tools as a model sees them. None can be executed by the SDK, and none is validated by it: both are the pipeline's work. */
export const offeredTools = (tools: readonly ToolDefinition[]): ToolSet | undefined =>
  tools.length === 0 ? undefined : Object.fromEntries(tools.map((tool) => [tool.name, offered(tool)]));

const offered = ({ description, parameters }: ToolDefinition) => ({
  description,
  inputSchema: jsonSchema(parameters as SchemaDocument),
});

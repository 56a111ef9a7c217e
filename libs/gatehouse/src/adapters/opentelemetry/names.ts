/** Attributes of the conventions for generative AI; they are under way, so those we use are named here and nowhere else. */
export const OPERATION_NAME = 'gen_ai.operation.name';
export const AGENT_NAME = 'gen_ai.agent.name';
export const CONVERSATION_ID = 'gen_ai.conversation.id';
export const INPUT_TOKENS = 'gen_ai.usage.input_tokens';
export const OUTPUT_TOKENS = 'gen_ai.usage.output_tokens';
export const TOOL_NAME = 'gen_ai.tool.name';
export const TOOL_CALL_ID = 'gen_ai.tool.call.id';
export const TOOL_TYPE = 'gen_ai.tool.type';
export const TOOL_DESCRIPTION = 'gen_ai.tool.description';
export const TOOL_ARGUMENTS = 'gen_ai.tool.call.arguments';
export const TOOL_RESULT = 'gen_ai.tool.call.result';
export const ERROR_TYPE = 'error.type';

/** What the conventions have no word for yet. */
export const RUN_ID = 'gatehouse.run_id';
export const PARENT_RUN_ID = 'gatehouse.parent_run_id';
export const OPERATION_ID = 'gatehouse.operation_id';
export const RECORD_ID = 'gatehouse.record_id';
export const STATUS = 'gatehouse.status';
export const DECIDED_BY = 'gatehouse.decided_by';

/* eslint-disable no-restricted-imports -- the tools room is proved on its own, before the wiring: these are parts the package does not export. */
export { ConfigurationError } from '../../../libs/gatehouse/src/contracts/errors/configuration.error.js';
export { ToolGuard } from '../../../libs/gatehouse/src/contracts/ports/tool.guard.js';
export { ToolCall } from '../../../libs/gatehouse/src/contracts/tool.call.js';
export type { JsonObject, JsonValue } from '../../../libs/gatehouse/src/contracts/json.js';
export type { ToolGate, UnjudgedTool } from '../../../libs/gatehouse/src/contracts/tool.definition.js';
export { isToolCall } from '../../../libs/gatehouse/src/tools/is-tool-call.js';
export { RequireApproval } from '../../../libs/gatehouse/src/tools/require-approval.decorator.js';
export type { RegisteredTool } from '../../../libs/gatehouse/src/tools/registered.tool.js';
export { DestructiveTool, Tool } from '../../../libs/gatehouse/src/tools/tool.decorator.js';
export { ToolExplorer } from '../../../libs/gatehouse/src/tools/tool.explorer.js';
export { ToolInvoker } from '../../../libs/gatehouse/src/tools/tool.invoker.js';
export { ToolRegistry } from '../../../libs/gatehouse/src/tools/tool.registry.js';
export { validatedText } from '../../../libs/gatehouse/src/tools/validated.text.js';

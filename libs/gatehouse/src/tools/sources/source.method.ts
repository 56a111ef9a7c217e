import type { JsonObject } from '../../contracts/json.js';
import type { ToolCall } from '../../contracts/tool.call.js';
import type { ToolSource } from '../../contracts/tool.source.js';

/** One tool of a source as a provider's method, so that the application's own guards, pipes and interceptors stand around it too. */
export class SourceMethod {
  constructor(
    private readonly source: ToolSource,
    private readonly name: string,
  ) {}

  run(args: JsonObject, call: ToolCall): unknown {
    return this.source.call(this.name, args, call);
  }
}

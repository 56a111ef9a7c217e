import type { JsonValue } from '../contracts/json.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolContexts } from './nest/tool.contexts.js';
import type { ToolInvocation } from './registered.tool.js';
import type { ArgumentSchema } from './schemas/argument.schema.js';
import { validatedText } from './validated.text.js';

/** The method of one instance behind Nest's mechanisms. Holds nothing of a call, so a singleton's is shared by all of them. */
export class NestToolInvocation implements ToolInvocation {
  readonly guard: ToolInvocation['guard'];
  readonly pipe: ToolInvocation['pipe'];

  constructor(
    private readonly contexts: ToolContexts,
    private readonly schema: ArgumentSchema,
    private readonly instance: object,
    private readonly method: string,
  ) {
    this.guard = contexts.guards;
    this.pipe = contexts.pipes;
  }

  execute(call: ToolCall, args: unknown, core: (args: unknown) => Promise<unknown>): Promise<unknown> {
    return this.contexts.interceptors ? this.contexts.interceptors(call, undefined, { args, core }) : core(args);
  }

  async rebuild(received: JsonValue, validated: string): Promise<unknown> {
    const value = this.schema.revive
      ? this.schema.revive(JSON.parse(validated) as JsonValue)
      : await this.again(received);
    if (validatedText(value) === validated) return value;
    throw new Error(`The schema of '${this.method}' is not repeatable: the same arguments gave another value.`);
  }

  start(args: unknown, call: ToolCall): unknown {
    const method: unknown = Reflect.get(this.instance, this.method);
    if (typeof method !== 'function') throw new TypeError(`'${this.method}' is no method of the provider any more.`);
    return Reflect.apply(method, this.instance, [args, call]) as unknown;
  }

  private async again(received: JsonValue): Promise<unknown> {
    const result = await this.schema.validate(received);
    if (result.ok) return this.pipe === undefined ? result.value : this.pipe(result.value);
    throw new Error(`The schema of '${this.method}' is not repeatable: it refuses now what it accepted before.`);
  }
}

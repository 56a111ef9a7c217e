import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { Type } from '@nestjs/common';
import type { JsonSchema } from '../contracts/json.js';
import type { ToolCall } from '../contracts/tool.call.js';
import type { ToolOptions } from '../contracts/tool.options.js';

/** What stands on a tool method. A method whose first parameter cannot take `Args` does not compile; parameters may be left out. */
export type ToolMethodDecorator<Args> = <Method extends (args: Args, call: ToolCall) => unknown>(
  target: object,
  key: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

type Options<Args, Source> = Omit<ToolOptions<Args>, 'parameters'> & { readonly parameters: Source };
type Undescribed<Args> = Omit<ToolOptions<Args>, 'parameters'> & { readonly parameters?: undefined };

/** What a callback may read of arguments whose type nobody wrote down. */
type Loose = Readonly<Record<string, unknown>>;

/** The shape of `@Tool` and `@DestructiveTool`: what the schema gives is what the method takes. */
export interface ToolDecorator {
  <Args>(options: Options<Args, StandardSchemaV1<unknown, Args>>): ToolMethodDecorator<Args>;
  <Args extends object>(options: Options<Args, Type<Args>>): ToolMethodDecorator<Args>;
  /** JSON Schema says nothing to the compiler: the method's own type counts. */
  <Args = Loose>(options: Options<Args, JsonSchema>): ToolMethodDecorator<never>;
  /** The DTO class of the method's first parameter is the schema. */
  <Args = Loose>(options: string | Undescribed<Args>): ToolMethodDecorator<never>;
}

import type { Type } from '@nestjs/common';
import { Middleware, type ToolMiddleware } from 'nest-gatehouse';

type MiddlewareOptions = NonNullable<Parameters<typeof Middleware>[0]>;

/** A middleware class that does just this. Named, so that ties and requirements can be told apart. */
export function wrapping(
  aroundTool: ToolMiddleware['aroundTool'],
  options: MiddlewareOptions = {},
  name = 'Wrapping',
): Type<ToolMiddleware> {
  const kept = {
    [name]: class implements ToolMiddleware {
      aroundTool: ToolMiddleware['aroundTool'] = aroundTool;
    },
  };
  const type = kept[name];
  if (type === undefined) throw new Error('A middleware needs a name.');
  Middleware(options)(type);
  return type;
}

/** A middleware that says when it is entered, left with a result, or left with an error. */
export const logging = (log: string[], name: string, options: MiddlewareOptions = {}): Type<ToolMiddleware> =>
  wrapping(
    async (_call, next) => {
      log.push(`${name} before`);
      try {
        const result = await next();
        log.push(`${name} after`);
        return result;
      } catch (error) {
        log.push(`${name} error`);
        throw error;
      }
    },
    options,
    name,
  );

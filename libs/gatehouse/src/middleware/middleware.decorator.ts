import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import type { ToolMiddleware } from '../contracts/roles.js';
import { MIDDLEWARE_METADATA } from '../contracts/tokens.js';

/** Options of `@Middleware`: where in the onion it stands. */
export interface MiddlewareOptions {
  /** Outside of, or inside of, all that say nothing. */
  readonly position?: 'outermost' | 'innermost';
  /** These stand inside of it. Each must be registered. */
  readonly wraps?: readonly Type<ToolMiddleware>[];
  /** These stand outside of it. Each must be registered. */
  readonly wrappedBy?: readonly Type<ToolMiddleware>[];
  /** These must be registered, wherever they stand. */
  readonly requires?: readonly Type<ToolMiddleware>[];
}

/**
 * Marks a provider as middleware around every tool. It is found in any module; ties are broken by class name.
 *
 * @example
 * ```ts
 * @Middleware({ position: 'outermost' })
 * class Timing implements ToolMiddleware {
 *   async aroundTool(call: ToolCall, next: () => Promise<unknown>) { return next(); }
 * }
 * ```
 */
export const Middleware =
  (options: MiddlewareOptions = {}): ClassDecorator =>
  (target) => {
    Reflect.defineMetadata(MIDDLEWARE_METADATA, Object.freeze({ ...options }), target);
  };

/** The options of a middleware class; undefined for any other class. A subclass of a middleware is one too. */
export const middlewareOptions = (target: object): MiddlewareOptions | undefined =>
  Reflect.getMetadata(MIDDLEWARE_METADATA, target) as MiddlewareOptions | undefined;

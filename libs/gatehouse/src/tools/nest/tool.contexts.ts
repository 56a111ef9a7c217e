import type { Type } from '@nestjs/common';
import { PARAMTYPES_METADATA } from '@nestjs/common/constants.js';
import type { ApplicationConfig, ContextId, ExternalContextCreator } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { TOOL_CONTEXT } from '../is-tool-call.js';
import type { ToolCall } from '../../contracts/tool.call.js';
import { globalEnhancers } from './global.enhancers.js';
import { enhancersOf, type EnhancerKind } from './method.facts.js';
import type { ToolClass } from './provider.class.js';

/** A tool method as Nest's context creator needs it. */
export interface ContextSource {
  readonly toolName: string;
  readonly wrapper: InstanceWrapper;
  readonly type: ToolClass;
  readonly name: string;
  readonly method: object;
  readonly metatype?: Type<object>;
}

/** What travels beside the call, out of reach of guards and interceptors. */
export interface Start {
  readonly args: unknown;
  readonly core: (args: unknown) => unknown;
}

const PARAMS = 'gatehouse:tool-params';
// Nest's number for a request body: pipes see the type 'body'.
const BODY = { '3:0': { index: 0, pipes: [] } };

/**
 * Nest's guards, pipes and interceptors of one tool, each as a function made by Nest itself; nothing where there is nothing to run.
 * Exception filters are never part of it.
 */
export class ToolContexts {
  readonly guards?: (call: ToolCall) => Promise<unknown>;
  readonly pipes?: (value: unknown) => Promise<unknown>;
  readonly interceptors?: (call: ToolCall, hidden: undefined, start: Start) => Promise<unknown>;

  constructor(
    private readonly source: ContextSource,
    private readonly creator: ExternalContextCreator,
    config: ApplicationConfig,
    private readonly contextId: ContextId | undefined,
  ) {
    const runs = (kind: EnhancerKind): boolean => {
      const { shared, scoped } = globalEnhancers(config, kind);
      return shared.length + scoped.length + enhancersOf(source.type, source.method, kind).length > 0;
    };
    if (runs('guard')) this.guards = this.context('guards', () => undefined, { guards: true, interceptors: false });
    if (runs('pipe')) this.pipes = this.pipeContext();
    if (runs('interceptor')) {
      const start = (_call: ToolCall, _hidden: undefined, { args, core }: Start) => core(args);
      this.interceptors = this.context('execute', start, { guards: false, interceptors: true });
    }
  }

  private pipeContext(): (value: unknown) => Promise<unknown> {
    const { type, metatype } = this.source;
    const name = this.nameOf('pipes');
    Reflect.defineMetadata(PARAMS, BODY, type, name);
    if (metatype) Reflect.defineMetadata(PARAMTYPES_METADATA, [metatype], type.prototype as object, name);
    const value = { exchangeKeyForValue: (_type: number, _data: unknown, [handed]: unknown[]) => handed };
    return this.context('pipes', (piped: unknown) => piped, { guards: false, interceptors: false }, value);
  }

  private context<Arguments extends unknown[]>(
    part: string,
    callback: (...args: Arguments) => unknown,
    runs: { readonly guards: boolean; readonly interceptors: boolean },
    params?: { exchangeKeyForValue(type: number, data: unknown, args: unknown[]): unknown },
  ): (...args: Arguments) => Promise<unknown> {
    const { type, method, wrapper, name } = this.source;
    return this.creator.create(
      // Nest reads only the class off it; the callbacks do not use it. So a stand-in keeps the class's guards.
      Object.create(type.prototype as object) as Record<string, unknown>,
      mirror(method, name, callback) as (...args: unknown[]) => unknown,
      this.nameOf(part),
      params && PARAMS,
      params,
      this.contextId,
      wrapper.id,
      { ...runs, filters: false },
      TOOL_CONTEXT,
    ) as (...args: Arguments) => Promise<unknown>;
  }

  // Nest 11 keeps parameter metadata by class name and method name alone: two classes of one name must not meet.
  private nameOf(part: string): string {
    return `${this.source.name}@${part}:${this.source.toolName}`;
  }
}

/** A callback that looks like the method to whoever reads its metadata, name or length. */
function mirror<Callback extends object>(method: object, name: string, callback: Callback): Callback {
  for (const key of Reflect.getMetadataKeys(method) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), callback);
  }
  Object.defineProperty(callback, 'name', { value: name, configurable: true });
  Object.defineProperty(callback, 'length', { value: Reflect.get(method, 'length'), configurable: true });
  return callback;
}

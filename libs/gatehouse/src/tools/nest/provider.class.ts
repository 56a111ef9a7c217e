import type { Type } from '@nestjs/common';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { markedTools } from '../tool.metadata.js';

/** A class with tools that one provider stands for. */
export type ToolClass = Type<object>;

const isClass = (value: unknown): value is ToolClass =>
  typeof value === 'function' && typeof value.prototype === 'object';

/** The class behind a provider: its own, or that of the instance a factory or value gives. Values may be anything, proxies included. */
export function implementationOf(wrapper: InstanceWrapper): ToolClass | undefined {
  if (!wrapper.isNotMetatype) return isClass(wrapper.metatype) ? wrapper.metatype : undefined;
  try {
    const instance: unknown = wrapper.instance;
    if (typeof instance !== 'object' || instance === null) return undefined;
    const prototype: unknown = Object.getPrototypeOf(instance);
    const type: unknown = prototype === null ? undefined : Reflect.get(prototype as object, 'constructor');
    return isClass(type) && type !== Object ? type : undefined;
  } catch {
    return undefined;
  }
}

/** The class a provider is asked for by, where that class has tools. A stand-in for it keeps them. */
export function tokenClassOf(wrapper: InstanceWrapper): ToolClass | undefined {
  return isClass(wrapper.token) && markedTools(wrapper.token).length > 0 ? wrapper.token : undefined;
}

/** Where a provider stands, for messages. */
export const moduleNameOf = (wrapper: InstanceWrapper): string => wrapper.host?.name ?? 'an unknown module';

/** A provider whose methods can be bound once: neither it nor anything it needs belongs to one call. */
export const isStaticProvider = (wrapper: InstanceWrapper): boolean =>
  wrapper.isDependencyTreeStatic() && !wrapper.isTransient;

import type { Type } from '@nestjs/common';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';

/** What a provider is known as: the class that was written, else its token, else the class of what a factory made. */
export function classesOf(wrapper: InstanceWrapper): readonly Type[] {
  const made = wrapper.inject || !wrapper.metatype ? undefined : wrapper.metatype;
  const instance = made === undefined ? (wrapper.instance as object | null | undefined)?.constructor : undefined;
  // The token counts, so that a provider overridden in a test keeps its role.
  return [made, instance, wrapper.token].filter(isClass);
}

function isClass(value: unknown): value is Type {
  return typeof value === 'function' && value !== Object;
}

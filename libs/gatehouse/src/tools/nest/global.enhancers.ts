import type { ApplicationConfig } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { EnhancerKind } from './method.facts.js';

/** The application's own mechanisms of one kind: shared instances, and providers with an instance per call or per host. */
export interface GlobalEnhancers {
  readonly shared: readonly unknown[];
  readonly scoped: readonly InstanceWrapper[];
}

/** What runs for every tool because it runs for everything. */
export function globalEnhancers(config: ApplicationConfig, kind: EnhancerKind): GlobalEnhancers {
  switch (kind) {
    case 'guard':
      return { shared: config.getGlobalGuards(), scoped: config.getGlobalRequestGuards() };
    case 'pipe':
      return { shared: config.getGlobalPipes(), scoped: config.getGlobalRequestPipes() };
    case 'interceptor':
      return { shared: config.getGlobalInterceptors(), scoped: config.getGlobalRequestInterceptors() };
  }
}

/** The class names of global mechanisms, in the order they run. */
export const globalNames = ({ shared, scoped }: GlobalEnhancers): readonly string[] => [
  ...shared.map(enhancerName),
  ...scoped.map(scopedName),
];

/** What to call a guard, pipe or interceptor. */
export function enhancerName(enhancer: unknown): string {
  if (typeof enhancer === 'function') return enhancer.name || 'anonymous';
  const type: unknown = typeof enhancer === 'object' && enhancer !== null ? enhancer.constructor : undefined;
  return typeof type === 'function' && type !== Object ? type.name : 'anonymous';
}

export const scopedName = (wrapper: InstanceWrapper): string => wrapper.metatype?.name || String(wrapper.name);

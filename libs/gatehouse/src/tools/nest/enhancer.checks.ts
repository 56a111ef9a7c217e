import type { ApplicationConfig } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { globalEnhancers, scopedName } from './global.enhancers.js';
import {
  ENHANCERS,
  enhancersOf,
  hasFilters,
  hasParameterDecorators,
  lostEnhancers,
  type EnhancerKind,
} from './method.facts.js';
import { isStaticProvider, moduleNameOf, type ToolClass } from './provider.class.js';

/** A tool method at its provider, as far as Nest's mechanisms go. */
export interface CheckedMethod {
  readonly label: string;
  readonly wrapper: InstanceWrapper;
  readonly type: ToolClass;
  readonly name: string;
  readonly method: object;
  /** The method as `@Tool` met it. */
  readonly declared: object;
}

/**
 * Refuses what Nest would pass over in silence, or run half-made, for this tool.
 *
 * @throws ConfigurationError that says what to do
 */
export function checkEnhancers(tool: CheckedMethod, config: ApplicationConfig): void {
  const { label, type, name, method } = tool;
  const lost = lostEnhancers(tool.declared, method);
  if (lost.length > 0) {
    throw new ConfigurationError(
      `${label}: a decorator above @Tool replaced the method and dropped its ${lost.join(' and ')}. Write @Tool and Nest's decorators above it.`,
    );
  }
  if (hasParameterDecorators(type, name)) {
    throw new ConfigurationError(
      `${label}: parameter decorators do not work on tools: the first parameter is the arguments, the second the ToolCall. Remove them.`,
    );
  }
  if (hasFilters(type, method)) {
    throw new ConfigurationError(
      `${label}: @UseFilters never runs for tools: the failure policy says what a failed call reads like. Remove it from the tool and its class.`,
    );
  }
  for (const { kind } of ENHANCERS) {
    for (const enhancer of enhancersOf(type, method, kind))
      if (typeof enhancer === 'function') checkHeld(tool, kind, enhancer);
    for (const scoped of globalEnhancers(config, kind).scoped) checkLinked(tool, kind, scoped);
  }
}

function checkHeld({ label, wrapper }: CheckedMethod, kind: EnhancerKind, enhancer: { readonly name: string }): void {
  const held = wrapper.host?.injectables.get(enhancer as never);
  if (held === undefined) {
    throw new ConfigurationError(
      `${label}: ${moduleNameOf(wrapper)} does not hold its ${kind} ${enhancer.name}, so Nest would pass over it without a word. ` +
        `Nest collects them for class providers only: provide the class itself, or hand over an instance: new ${enhancer.name}(…).`,
    );
  }
  if (!isStaticProvider(held) && !isLinked(wrapper, held)) {
    throw new ConfigurationError(
      `${label}: its ${kind} ${enhancer.name} has an instance per call, which Nest makes for class providers only. Provide the class itself.`,
    );
  }
}

function checkLinked({ label, wrapper }: CheckedMethod, kind: EnhancerKind, scoped: InstanceWrapper): void {
  if (isLinked(wrapper, scoped)) return;
  throw new ConfigurationError(
    `${label}: the global ${kind} ${scopedName(scoped)} has an instance per call, and Nest makes none for this provider (of ${moduleNameOf(wrapper)}): ` +
      `it is a factory or value, or its module was loaded lazily. Provide the class itself in a module that is there at boot, ` +
      `or make the ${kind} a singleton.`,
  );
}

const isLinked = (wrapper: InstanceWrapper, enhancer: InstanceWrapper): boolean =>
  wrapper.getEnhancersMetadata()?.includes(enhancer) ?? false;

import {
  EXCEPTION_FILTERS_METADATA,
  GUARDS_METADATA,
  INTERCEPTORS_METADATA,
  PIPES_METADATA,
  ROUTE_ARGS_METADATA,
} from '@nestjs/common/constants.js';
import type { ToolClass } from './provider.class.js';

/** Nest's mechanisms that run for tools. */
export const ENHANCERS = [
  { kind: 'guard', key: GUARDS_METADATA },
  { kind: 'pipe', key: PIPES_METADATA },
  { kind: 'interceptor', key: INTERCEPTORS_METADATA },
] as const;

export type EnhancerKind = (typeof ENHANCERS)[number]['kind'];

const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/** The method as the class has it, inherited or not; nothing for an accessor. */
export function methodOf(type: ToolClass, name: string): object | undefined {
  for (let at: unknown = type.prototype; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at)) {
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return typeof found.value === 'function' ? (found.value as object) : undefined;
  }
  return undefined;
}

/** The class whose prototype holds the method. */
export function ownerOf(type: ToolClass, name: string): unknown {
  for (let at: unknown = type.prototype; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at)) {
    if (Object.hasOwn(at, name)) return Reflect.get(at, 'constructor');
  }
  return undefined;
}

/** What `@UseGuards`, `@UsePipes`, `@UseInterceptors` put on a class and its method, in the order they run. */
export const enhancersOf = (type: ToolClass, method: object, kind: EnhancerKind): readonly unknown[] => {
  const key = ENHANCERS.find((each) => each.kind === kind)?.key ?? '';
  return [...listed(Reflect.getMetadata(key, type)), ...listed(Reflect.getMetadata(key, method))];
};

export const hasFilters = (type: ToolClass, method: object): boolean =>
  [type, method].some((at) => listed(Reflect.getMetadata(EXCEPTION_FILTERS_METADATA, at)).length > 0);

export const hasParameterDecorators = (type: ToolClass, name: string): boolean =>
  Object.keys((Reflect.getMetadata(ROUTE_ARGS_METADATA, type, name) as object | undefined) ?? {}).length > 0;

/** Names of mechanisms that stood on the method as `@Tool` met it, and are gone from the method as it is. */
export const lostEnhancers = (before: object, now: object): readonly string[] =>
  before === now
    ? []
    : ENHANCERS.filter(({ key }) => Reflect.hasOwnMetadata(key, before) && !Reflect.hasMetadata(key, now)).map(
        ({ kind }) => kind,
      );

import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { ToolMiddleware } from '../contracts/roles.js';
import type { MiddlewareOptions } from './middleware.decorator.js';

/** A middleware and the class name it is known by. */
export interface NamedMiddleware {
  readonly name: string;
  readonly role: ToolMiddleware;
}

/** A middleware with what places it. */
export interface PlacedMiddleware extends NamedMiddleware {
  readonly type: object;
  readonly options: MiddlewareOptions;
}

const TIER = { outermost: 0, innermost: 2 } as const;
const tierOf = ({ options }: PlacedMiddleware): number => (options.position === undefined ? 1 : TIER[options.position]);

/**
 * Outermost first. Tiers, `wraps` and `wrappedBy` decide; otherwise the order of the list stays.
 *
 * @param outside middleware that stands outside of all of these, already ordered
 * @throws ConfigurationError for a cycle, and for a name that is no registered middleware
 */
export function orderMiddleware(
  list: readonly PlacedMiddleware[],
  outside: readonly PlacedMiddleware[] = [],
): readonly PlacedMiddleware[] {
  for (const one of list) checkNames(one, list, outside);
  const left = [...list];
  const ordered: PlacedMiddleware[] = [];
  while (left.length > 0) {
    const index = left.findIndex((one) => left.every((other) => other === one || !standsOutside(other, one)));
    if (index < 0) throw cycle(left);
    ordered.push(...left.splice(index, 1));
  }
  return Object.freeze(ordered);
}

function standsOutside(outer: PlacedMiddleware, inner: PlacedMiddleware): boolean {
  return tierOf(outer) < tierOf(inner) || names(outer, 'wraps', inner) || names(inner, 'wrappedBy', outer);
}

function names(one: PlacedMiddleware, relation: 'wraps' | 'wrappedBy', other: PlacedMiddleware): boolean {
  return one.options[relation]?.some((type) => type === other.type) === true;
}

function checkNames(
  one: PlacedMiddleware,
  list: readonly PlacedMiddleware[],
  outside: readonly PlacedMiddleware[],
): void {
  for (const relation of ['wraps', 'wrappedBy', 'requires'] as const) {
    for (const type of one.options[relation] ?? []) {
      if (list.some((other) => other.type === type)) continue;
      const known = outside.some((other) => other.type === type);
      if (!known) throw unknownName(one.name, relation, type);
      if (relation === 'wraps')
        throw new ConfigurationError(
          `${one.name} of one run cannot wrap ${typeName(type)}, which stands outside of it: place it in the module instead.`,
        );
    }
  }
}

function unknownName(name: string, relation: string, type: unknown): ConfigurationError {
  const hint =
    type === undefined
      ? 'A circular import leaves it undefined: move the class to a file of its own.'
      : `Add it to the providers of a module, with @Middleware(), or take it out of '${relation}'.`;
  return new ConfigurationError(
    `${name}: '${relation}' names ${typeName(type)}, which is no registered middleware. ${hint}`,
  );
}

function cycle(left: readonly PlacedMiddleware[]): ConfigurationError {
  const among = left.map(({ name }) => name).join(', ');
  return new ConfigurationError(
    `Middleware ${among} cannot be ordered: 'position', 'wraps' and 'wrappedBy' ask for a circle. Take out one of them.`,
  );
}

function typeName(type: unknown): string {
  return typeof type === 'function' ? type.name : String(type);
}

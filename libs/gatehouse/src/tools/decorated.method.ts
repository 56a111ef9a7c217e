import { ConfigurationError } from '../contracts/errors/configuration.error.js';

/** The method a decorator stands on: the class that declares it, its name, what to call it in messages. */
export interface DecoratedMethod {
  readonly type: object & { readonly name: string };
  readonly name: string;
  readonly label: string;
}

/**
 * Where a method decorator stands.
 *
 * @throws ConfigurationError for anything but an instance method with a name
 */
export function decoratedMethod(
  decorator: string,
  target: object,
  key: string | symbol,
  descriptor: PropertyDescriptor | undefined,
): DecoratedMethod {
  const isStatic = typeof target === 'function';
  const type = (isStatic ? target : target.constructor) as DecoratedMethod['type'];
  const label = `${type.name}#${String(key)}`;
  const refuse = (why: string) => new ConfigurationError(`${decorator} on ${label}: ${why}`);
  if (isStatic)
    throw refuse('a static method has no instance to inject into. Make it an instance method of a provider.');
  if (typeof key === 'symbol') throw refuse('a method named by a symbol cannot be found again. Name it with a string.');
  if (typeof descriptor?.value !== 'function') {
    throw refuse('it stands on an accessor or a property, not on a method. Write it as a method.');
  }
  return { type, name: key, label };
}

import { types } from 'node:util';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';

/**
 * Calling a generator runs nothing of it: the model would read `{}` as its success.
 *
 * @throws ConfigurationError for `*method()` and `async *method()`
 */
export function refuseGenerator(method: unknown, label: string): void {
  if (typeof method !== 'function' || !types.isGeneratorFunction(method)) return;
  throw new ConfigurationError(
    `${label} is a generator (*): calling it runs nothing, so the tool would do nothing. Write a method, and return one value, or an Observable.`,
  );
}

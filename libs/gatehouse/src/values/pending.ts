/**
 * Whether a value has to be waited for. Awaiting one that is there already costs a turn of the event loop and, under an AsyncLocalStorage, a few
 * promises with their hooks; on the way of every call that adds up, so whoever stands there asks first.
 */
export function isPending<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

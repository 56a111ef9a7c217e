/** A value, or a promise of it: roles may be synchronous or asynchronous. */
export type Awaitable<T> = T | Promise<T>;

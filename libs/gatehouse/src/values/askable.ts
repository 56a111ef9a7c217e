/**
 * What was thrown, as long as it can be asked what it is; a proxy that answers `instanceof` with a throw, or was revoked, becomes an error that
 * says so. Whoever catches what users throw begins with this: a throw inside a catch would leave by itself.
 */
export function askable(thrown: unknown): unknown {
  try {
    for (let at = thrown; isObject(at); at = Object.getPrototypeOf(at) as unknown) {
      Object.getOwnPropertyDescriptor(at, 'constructor');
    }
    return thrown;
  } catch {
    return new Error('Something that cannot be read was thrown.');
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

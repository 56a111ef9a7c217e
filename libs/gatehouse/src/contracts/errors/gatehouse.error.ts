/** Every class of ours carries its brand, so that `instanceof` holds across two copies of the package. Idea: the MCP TypeScript SDK. */
const BRAND = Symbol.for('gatehouse:error-brand');

const brandsOf = (value: unknown): string[] => {
  const brands: string[] = [];
  for (let at: unknown = value; typeof at === 'object' && at !== null; at = Object.getPrototypeOf(at)) {
    const maker: unknown = Object.getOwnPropertyDescriptor(at, 'constructor')?.value;
    if (typeof maker === 'function' && Object.hasOwn(maker, BRAND)) brands.push(String(Reflect.get(maker, BRAND)));
  }
  return brands;
};

/** The base of everything Gatehouse throws. Says what happened, where, and what to do. */
export abstract class GatehouseError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Object.hasOwn(this, BRAND)) return brandsOf(value).includes(String(Reflect.get(this, BRAND)));
    return Boolean(Function.prototype[Symbol.hasInstance].call(this, value));
  }
}

/** Names a class of ours. Once per class, at its definition. */
export const brand =
  (name: string) =>
  (target: abstract new (...args: never[]) => GatehouseError): void => {
    Object.defineProperty(target, BRAND, { value: name });
  };

brand('GatehouseError')(GatehouseError);

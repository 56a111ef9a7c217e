import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { Middleware, middlewareOptions, type MiddlewareOptions } from './middleware.decorator.js';
import { orderMiddleware, type PlacedMiddleware } from './middleware.order.js';

class A {
  aroundTool = async (): Promise<unknown> => 'A';
}
class B extends A {}
class C extends A {}
class D extends A {}

const place = (type: typeof A, options: MiddlewareOptions = {}): PlacedMiddleware => ({
  name: type.name,
  type,
  role: new type(),
  options,
});
const names = (list: readonly PlacedMiddleware[]): string => list.map(({ name }) => name).join(' ');

describe('orderMiddleware', () => {
  it('keeps the order of the list where nothing else is said', () => {
    expect(names(orderMiddleware([place(B), place(A), place(C)]))).toBe('B A C');
  });

  it('[214] two outermost keep their order, outside of all others; innermost stand inside', () => {
    const list = [
      place(A, { position: 'innermost' }),
      place(B),
      place(D, { position: 'outermost' }),
      place(C, { position: 'outermost' }),
    ];
    expect(names(orderMiddleware(list))).toBe('D C B A');
  });

  it('places by wraps and wrappedBy, and moves nobody else', () => {
    expect(names(orderMiddleware([place(A), place(B, { wraps: [A] }), place(C)]))).toBe('B A C');
    expect(names(orderMiddleware([place(A, { wrappedBy: [C] }), place(B), place(C)]))).toBe('B C A');
  });

  it('[213] a circle is a configuration error that names its members only', () => {
    const list = [place(A, { wraps: [B] }), place(B, { wraps: [A] }), place(C, { position: 'outermost' })];
    expect(() => orderMiddleware(list)).toThrow(
      new ConfigurationError(
        "Middleware A, B cannot be ordered: 'position', 'wraps' and 'wrappedBy' ask for a circle. Take out one of them.",
      ),
    );
  });

  it('[213] so is a tier against a wish', () => {
    const list = [place(A, { position: 'innermost', wraps: [B] }), place(B)];
    expect(() => orderMiddleware(list)).toThrow(ConfigurationError);
  });

  it('[209] [213] a name that is no registered middleware is a configuration error', () => {
    for (const relation of ['wraps', 'wrappedBy', 'requires'] as const) {
      expect(() => orderMiddleware([place(A, { [relation]: [B] })])).toThrow(
        `A: '${relation}' names B, which is no registered middleware. Add it to the providers of a module, with @Middleware(), or take it out of '${relation}'.`,
      );
    }
  });

  it('a name left undefined by a circular import says so', () => {
    const options = { wraps: [undefined] } as unknown as MiddlewareOptions;
    expect(() => orderMiddleware([place(A, options)])).toThrow('A circular import leaves it undefined');
  });

  it('a run may require and be wrapped by what stands outside of it, but not wrap it', () => {
    const outside = [place(A)];
    expect(names(orderMiddleware([place(B, { wrappedBy: [A], requires: [A] })], outside))).toBe('B');
    expect(() => orderMiddleware([place(B, { wraps: [A] })], outside)).toThrow('B of one run cannot wrap A');
  });
});

describe('@Middleware', () => {
  it('keeps its options', () => {
    @Middleware({ position: 'outermost', wraps: [A] })
    class Outer extends A {}
    expect(middlewareOptions(Outer)).toEqual({ position: 'outermost', wraps: [A] });
    expect(middlewareOptions(A)).toBeUndefined();
  });
});

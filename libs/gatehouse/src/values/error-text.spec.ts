import { runInNewContext } from 'node:vm';

import { describeError, errorMessage, errorName } from './error-text.js';

class PlainSubclass extends TypeError {}
class NamedSubclass extends Error {
  override readonly name = 'NamedByItself';
}
class NamedByPrototype extends Error {}
NamedByPrototype.prototype.name = 'NamedByPrototypeOnly';
class ThrowingMessage extends Error {
  override get message(): string {
    throw new Error('no');
  }
}
class ThrowingName extends Error {
  override get name(): string {
    throw new Error('no');
  }
}
const { proxy: revoked, revoke } = Proxy.revocable({}, {});
revoke();
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

describe('describeError', () => {
  it.each([
    ['an error', new Error('boom'), 'Error: boom'],
    ['an error without a message', new RangeError(), 'RangeError'],
    ['a subclass that names nothing', new PlainSubclass('boom'), 'PlainSubclass: boom'],
    ['a subclass with a name of its own', new NamedSubclass('boom'), 'NamedByItself: boom'],
    ['a subclass named by its prototype', new NamedByPrototype('boom'), 'NamedByPrototypeOnly: boom'],
    ['an abort', new DOMException('gone', 'AbortError'), 'AbortError: gone'],
    ['an error of another realm', runInNewContext('new TypeError("far")'), 'TypeError: far'],
    ['an error given another name', Object.assign(new Error('boom'), { name: 'Restored' }), 'Restored: boom'],
    ['an error whose name is no text', Object.assign(new Error('boom'), { name: 5 }), 'Error: boom'],
    ['an error whose message is no text', Object.assign(new Error(), { message: { a: 1 } }), 'Error: {"a":1}'],
    ['an error whose message throws', new ThrowingMessage(), 'ThrowingMessage: [unreadable message]'],
    ['an error whose name throws', new ThrowingName('boom'), 'Error: boom'],
    ['a string', 'boom', 'NonError: boom'],
    ['null', null, 'NonError: null'],
    ['undefined', undefined, 'NonError: undefined'],
    ['a number', 42, 'NonError: 42'],
    ['a bigint', 42n, 'NonError: 42'],
    ['a symbol', Symbol('s'), 'NonError: Symbol(s)'],
    ['a function', () => 'source', 'NonError: [function]'],
    ['an object', { code: 7 }, 'NonError: {"code":7}'],
    ['an object with a message', { message: 'boom' }, 'NonError: boom'],
    ['a cycle', cycle, 'NonError: [unreadable message]'],
    ['a revoked proxy', revoked, 'NonError: [unreadable message]'],
  ])('%s', (_, error, text) => {
    expect(describeError(error)).toBe(text);
  });
});

describe('errorName and errorMessage', () => {
  it('keep a message whole, but not a name or a thrown value', () => {
    expect(errorMessage(new Error('x'.repeat(100_000)))).toHaveLength(100_000);
    expect(errorMessage(['x'.repeat(1000)])).toHaveLength(500);
    expect(errorName(Object.assign(new Error(), { name: 'x'.repeat(1000) }))).toHaveLength(200);
  });
});

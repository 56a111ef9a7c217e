import { askable } from './askable.js';

const fail = () => {
  throw new Error('trap');
};
const revoked = () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('askable', () => {
  const frozen = Object.freeze(new TypeError('mine'));

  it.each([frozen, 'text', undefined, null, 7, Object.create(null) as object])(
    'hands on what was thrown: %p',
    (thrown) => {
      expect(askable(thrown)).toBe(thrown);
    },
  );

  it.each([
    ['whose prototype cannot be read', new Proxy({}, { getPrototypeOf: fail })],
    ['whose properties cannot be described', new Proxy({}, { getOwnPropertyDescriptor: fail })],
    ['that was revoked', revoked()],
  ])('replaces a proxy %s', (_, thrown) => {
    const error = askable(thrown);
    expect(error).toEqual(new Error('Something that cannot be read was thrown.'));
    expect(error instanceof Error).toBe(true);
  });
});

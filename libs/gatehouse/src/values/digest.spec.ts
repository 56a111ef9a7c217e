import { createHmac } from 'node:crypto';

import { argumentsDigest, fingerprint, newDigestKey, sha256Hex } from './digest.js';

const key = Buffer.alloc(32, 7).toString('base64');

describe('argumentsDigest', () => {
  it('is the HMAC-SHA-256 over [1, tool, fingerprint, received, validated]', () => {
    const message = '[1,"refund","f1","{\\"a\\":1}","{\\"a\\":1,\\"b\\":2}"]';
    const expected = createHmac('sha256', Buffer.alloc(32, 7)).update(message).digest('hex');
    expect(argumentsDigest(key, 'refund', 'f1', '{"a":1}', '{"a":1,"b":2}')).toBe(expected);
  });

  it('never changes: a golden value', () => {
    expect(argumentsDigest(key, 'refund', 'f1', '{}', '{}')).toBe(
      '943c8ee259fd7cee7d5baea9c1a1415176cd017ad3101a392458a775381a5ea6',
    );
  });

  it('depends on each of its parts, and on where one ends', () => {
    const digests = [
      argumentsDigest(key, 't', 'f', 'r', 'v'),
      argumentsDigest(newDigestKey(), 't', 'f', 'r', 'v'),
      argumentsDigest(key, 'T', 'f', 'r', 'v'),
      argumentsDigest(key, 't', 'F', 'r', 'v'),
      argumentsDigest(key, 't', 'f', 'R', 'v'),
      argumentsDigest(key, 't', 'f', 'r', 'V'),
      argumentsDigest(key, 'tf', '', 'r', 'v'),
      argumentsDigest(key, 't', 'f', 'rv', ''),
    ];
    expect(new Set(digests).size).toBe(digests.length);
  });
});

describe('newDigestKey', () => {
  it('is 32 fresh random bytes in base64', () => {
    const keys = Array.from({ length: 100 }, newDigestKey);
    expect(keys.map((one) => Buffer.from(one, 'base64').length)).toEqual(Array.from({ length: 100 }, () => 32));
    expect(new Set(keys).size).toBe(100);
  });
});

describe('sha256Hex and fingerprint', () => {
  it('agree with the published value for "abc"', () => {
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('are equal for equal values, whatever their key order', () => {
    expect(fingerprint({ b: 1, a: [2, -0] })).toBe(sha256Hex('{"a":[2,0],"b":1}'));
    expect(fingerprint({ a: [2, 0], b: 1 })).toBe(fingerprint({ b: 1, a: [2, -0] }));
    expect(fingerprint({ a: [0, 2], b: 1 })).not.toBe(fingerprint({ a: [2, 0], b: 1 }));
  });
});

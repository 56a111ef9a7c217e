import { generateKeyPairSync, sign } from 'node:crypto';

import fc from 'fast-check';

import { formatVerifierKey, isKeyName, parseVerifierKey, verifierKey } from './verifier.key.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const raw = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
const message = Buffer.from('a message');
const signature = sign(null, message, privateKey);

describe('a verifier key', () => {
  it('verifies what its key signed, and nothing else', () => {
    const key = verifierKey('log.example', raw);
    expect(key.verifies(message, signature)).toBe(true);
    expect(key.verifies(Buffer.from('a Message'), signature)).toBe(false);
    expect(key.verifies(message, Buffer.alloc(64))).toBe(false);
    expect([0, 63, 65].map((size) => key.verifies(message, Buffer.alloc(size, signature)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is the same after it was written and read', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter(isKeyName), (name) => {
        const key = verifierKey(name, raw);
        const { verifies: _, ...facts } = parseVerifierKey(formatVerifierKey(key));
        expect(facts).toEqual({ name, id: key.id, publicKey: raw });
      }),
    );
  });

  it('has another id under another name', () => {
    expect(verifierKey('a', raw).id).not.toBe(verifierKey('b', raw).id);
  });

  it('is not changed by who made it', () => {
    const bytes = Buffer.from(raw);
    const key = verifierKey('log.example', bytes);
    bytes.fill(0);
    expect(key.publicKey).toEqual(raw);
    expect(Object.isFrozen(key)).toBe(true);
  });

  it.each(['', 'a b', 'a+b', 'a\u00a0b', 'a\u2029b', 'a\u0085b', 'a\nb', 'a\u0001b', 'a\ud800'])(
    'has no name like %j',
    (name) => {
      expect(isKeyName(name)).toBe(false);
      expect(() => verifierKey(name, raw)).toThrow('is no key name');
    },
  );

  it('says what is wrong with one that is none', () => {
    const good = formatVerifierKey(verifierKey('log.example', raw));
    const id = good.split('+')[1] ?? '';
    expect(() => parseVerifierKey('log.example')).toThrow("'log.example' is not name+id+key");
    expect(() => parseVerifierKey(good.replace(id, '00000000'))).toThrow(`its id is 00000000, the key's is ${id}`);
    const upperCase = 'example.com/foo+530D903A+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
    expect(() => parseVerifierKey(upperCase)).toThrow('is not name+id+key');
    expect(() => parseVerifierKey(`${good}\n`)).toThrow('the key is no canonical base64');
    const cosignature = Buffer.concat([Buffer.of(4), raw]).toString('base64');
    expect(() => parseVerifierKey(`log.example+${id}+${cosignature}`)).toThrow('its type is not 1, Ed25519');
    expect(() => verifierKey('log.example', raw.subarray(1))).toThrow('an Ed25519 key has 32 bytes, not 31');
  });
});

import type { KeyObject } from 'node:crypto';
import { createPublicKey, verify } from 'node:crypto';

import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { sha256 } from './sha256.js';
import { shown, strictBase64 } from './strict.text.js';

/** The signature type of Ed25519 in signed notes. The only one here. */
const ED25519 = 0x01;
const KEY_SIZE = 32;
const NAME = /^[^\p{White_Space}\p{Surrogate}\u0000-\u001f+]+$/u;
const VKEY = /^([^+]*)\+([0-9a-f]{8})\+(.*)$/su;

/** A key that verifies signatures in notes, under its name. */
export interface VerifierKey {
  /** What stands in signature lines: a URL without its scheme such as `example.com/audit`. */
  readonly name: string;
  /** The first four bytes of SHA-256 over name, newline, type and key, as 8 hex digits. Identifies, but proves nothing. */
  readonly id: string;
  /** The Ed25519 public key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Whether this key made this signature over these bytes. */
  verifies(message: Uint8Array, signature: Uint8Array): boolean;
}

/** The verifier key of an Ed25519 public key. @throws MalformedEvidenceError when the name or the key is none */
export function verifierKey(name: string, publicKey: Uint8Array): VerifierKey {
  if (!isKeyName(name)) throw new MalformedEvidenceError('verifier key', `${shown(name)} is no key name`);
  const key = publicKeyObject(publicKey);
  return Object.freeze({
    name,
    id: keyId(name, publicKey),
    publicKey: Buffer.from(publicKey),
    verifies: (message: Uint8Array, signature: Uint8Array) => verify(null, message, key, signature),
  });
}

/**
 * Reads a vkey: `name+id+base64(type, key)`.
 *
 * @example parseVerifierKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k')
 * @throws MalformedEvidenceError when it is none, its id is another key's, or its type is not Ed25519
 */
export function parseVerifierKey(vkey: string): VerifierKey {
  const [, name = '', id, encoded = ''] = VKEY.exec(vkey) ?? [];
  if (id === undefined) throw new MalformedEvidenceError('verifier key', `${shown(vkey)} is not name+id+key`);
  const material = strictBase64(encoded, 'verifier key', 'the key');
  if (material[0] !== ED25519) throw new MalformedEvidenceError('verifier key', 'its type is not 1, Ed25519');
  const key = verifierKey(name, material.subarray(1));
  if (key.id !== id) throw new MalformedEvidenceError('verifier key', `its id is ${id}, the key's is ${key.id}`);
  return key;
}

/** The vkey text of a key: what one gives to those who are to verify. */
export const formatVerifierKey = ({ name, id, publicKey }: Pick<VerifierKey, 'name' | 'id' | 'publicKey'>): string =>
  `${name}+${id}+${typed(publicKey).toString('base64')}`;

/** Whether a text may name a key: not empty, no spaces of any script, no plus, no ASCII control characters. */
export const isKeyName = (name: string): boolean => NAME.test(name);

const keyId = (name: string, publicKey: Uint8Array): string =>
  sha256(Buffer.concat([Buffer.from(`${name}\n`, 'utf8'), typed(publicKey)]))
    .subarray(0, 4)
    .toString('hex');

const typed = (publicKey: Uint8Array): Buffer => Buffer.concat([Buffer.of(ED25519), publicKey]);

function publicKeyObject(publicKey: Uint8Array): KeyObject {
  if (publicKey.length !== KEY_SIZE)
    throw new MalformedEvidenceError('verifier key', `an Ed25519 key has ${KEY_SIZE} bytes, not ${publicKey.length}`);
  const x = Buffer.from(publicKey).toString('base64url');
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
}

import type { KeyObject } from 'node:crypto';
import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';

import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { Signer } from '../../contracts/ports/signer.js';
import { shown } from './strict.text.js';
import type { VerifierKey } from './verifier.key.js';
import { formatVerifierKey, parseVerifierKey, verifierKey } from './verifier.key.js';

const KIND = 'Ed25519 key';
// Of a seed and of a public key alike.
const KEY_SIZE = 32;
// What PKCS#8 puts before the 32 bytes of an Ed25519 seed (RFC 8410).
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A new key, in the forms one keeps and hands out. */
export interface NewEd25519Key {
  readonly signer: Signer;
  /** The secret, as PKCS#8 PEM. */
  readonly privateKeyPem: string;
  /** The same secret, as the base64 of its 32 bytes: one line, for an environment variable. */
  readonly seed: string;
  /** For those who verify. No secret. */
  readonly verifierKey: string;
}

/** Makes a key under this name. @throws MalformedEvidenceError when the name is no key name */
export function generateEd25519Key(name: string): NewEd25519Key {
  const { privateKey } = generateKeyPairSync('ed25519');
  const signer = new Ed25519Signer(name, privateKey);
  return Object.freeze({
    signer,
    privateKeyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    seed: Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url').toString('base64'),
    verifierKey: formatVerifierKey(verifierKey(name, signer.publicKey)),
  });
}

/**
 * The signer of a secret kept as PKCS#8 PEM or as the base64 of a 32-byte seed.
 *
 * @throws MalformedEvidenceError that never shows the secret
 */
export const ed25519Signer = (name: string, secret: string): Signer => new Ed25519Signer(name, privateKeyOf(secret));

/**
 * A verifier key from what an operator has: a vkey, or under a name of its own an SPKI PEM or the base64 of the 32-byte public key.
 *
 * @throws MalformedEvidenceError when it is none, or a vkey has another name than the one given
 */
export function ed25519VerifierKey(text: string, name?: string): VerifierKey {
  const key = text.trim();
  if (isPem(key)) return verifierKey(named(name), rawPublicKey(readPem(createPublicKey, key)));
  const raw = fromBase64(key);
  if (raw) return verifierKey(named(name), raw);
  const parsed = parseVerifierKey(key);
  if (name === undefined || parsed.name === name) return parsed;
  throw new MalformedEvidenceError(KIND, `the verifier key is named ${shown(parsed.name)}, not ${shown(name)}`);
}

class Ed25519Signer extends Signer {
  override readonly publicKey: Uint8Array;
  readonly #privateKey: KeyObject;

  constructor(
    override readonly name: string,
    privateKey: KeyObject,
  ) {
    super();
    this.publicKey = rawPublicKey(createPublicKey(privateKey));
    this.#privateKey = privateKey;
    verifierKey(name, this.publicKey);
  }

  override sign(message: Uint8Array): Uint8Array {
    return sign(null, message, this.#privateKey);
  }
}

function privateKeyOf(secret: string): KeyObject {
  const text = secret.trim();
  if (isPem(text)) return readPem(createPrivateKey, text);
  const seed = fromBase64(text);
  if (seed) return createPrivateKey({ key: Buffer.concat([PKCS8, seed]), format: 'der', type: 'pkcs8' });
  throw new MalformedEvidenceError(KIND, 'the secret is neither a PEM nor the base64 of 32 bytes');
}

// The cause is not passed on: OpenSSL may quote what it could not read.
function readPem(read: (pem: string) => KeyObject, pem: string): KeyObject {
  let key: KeyObject;
  try {
    key = read(pem);
  } catch {
    throw new MalformedEvidenceError(KIND, 'the PEM cannot be read (a passphrase is not supported)');
  }
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new MalformedEvidenceError(KIND, `the PEM holds a key of type ${String(key.asymmetricKeyType)}`);
}

const rawPublicKey = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
const isPem = (text: string): boolean => text.startsWith('-----BEGIN ');

function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === KEY_SIZE && bytes.toString('base64') === text ? bytes : undefined;
}

function named(name: string | undefined): string {
  if (name !== undefined) return name;
  throw new MalformedEvidenceError(
    KIND,
    "only a verifier key (vkey) has a name of its own: pass the name of this key, its log's origin (--origin)",
  );
}

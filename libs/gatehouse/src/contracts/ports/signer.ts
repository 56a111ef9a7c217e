import type { Awaitable } from '../awaitable.js';

/**
 * Signs the checkpoints of the evidence log with an Ed25519 key that may live elsewhere: in a key service, in hardware, in another process.
 * Provide it by this DI token. The key never comes from the database it vouches for.
 *
 * @example
 * ```ts
 * class KeyServiceSigner extends Signer {
 *   constructor(override readonly name: string, override readonly publicKey: Uint8Array, private readonly keys: KeyService) {
 *     super();
 *   }
 *
 *   override sign(message: Uint8Array): Promise<Uint8Array> {
 *     return this.keys.sign({ algorithm: 'Ed25519', keyId: this.name, message });
 *   }
 * }
 * ```
 */
export abstract class Signer {
  /** The key name in signature lines, a URL without its scheme such as `example.com/audit`: not empty, no spaces, no plus. */
  abstract readonly name: string;
  /** The Ed25519 public key, 32 bytes (RFC 8032). Known from the start: with the name it makes the key id. */
  abstract readonly publicKey: Uint8Array;
  /** The Ed25519 signature over exactly these bytes, 64 bytes. A throw leaves the checkpoint unsigned and unpublished. */
  abstract sign(message: Uint8Array): Awaitable<Uint8Array>;
}

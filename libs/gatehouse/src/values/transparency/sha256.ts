import { hash } from 'node:crypto';

/** Bytes of one SHA-256 hash. */
export const HASH_SIZE = 32;

/** SHA-256 of the bytes. */
export function sha256(bytes: Uint8Array): Buffer {
  // Node makes a digest in text twice as fast as one in a Buffer of its own.
  return Buffer.from(hash('sha256', bytes, 'binary'), 'latin1');
}

/** Whether these are the 32 bytes of a hash. */
export const isHash = (bytes: Uint8Array): boolean => bytes.length === HASH_SIZE;

/** The same bytes, for what our own code passes. @throws RangeError when they are no hash */
export function asHash(bytes: Uint8Array | undefined, what: string): Uint8Array {
  if (bytes !== undefined && isHash(bytes)) return bytes;
  throw new RangeError(`${what} must be a hash of ${HASH_SIZE} bytes, not of ${bytes?.length ?? 0}.`);
}

import { createHash, createHmac } from 'node:crypto';

import type { JsonObject, JsonValue } from '../contracts/json.js';
import { canonicalText } from './canonical-json.js';
import { randomBytes } from './random.pool.js';

// Version of what is digested. A change of layout takes the next number, so old digests stay checkable.
const LAYOUT = 1;

/** A fresh random key for the digests of one run: 32 bytes, base64. Erasing it makes the digests unguessable. */
export function newDigestKey(): string {
  return randomBytes(32).toString('base64');
}

/**
 * What an approval is bound to: HMAC-SHA-256, in hex, over the canonical JSON of
 * `[1, tool, toolFingerprint, received, validated]`.
 *
 * @param key of `newDigestKey`
 * @param received canonical text of the arguments as they came
 * @param validated canonical text of what validation and pipes made of them
 */
export function argumentsDigest(
  key: string,
  tool: string,
  toolFingerprint: string,
  received: string,
  validated: string,
): string {
  // Of texts and a small number JSON.stringify makes the very text of RFC 8785, for half the price.
  const message = JSON.stringify([LAYOUT, tool, toolFingerprint, received, validated]);
  return createHmac('sha256', Buffer.from(key, 'base64')).update(message, 'utf8').digest('hex');
}

/** HMAC-SHA-256, in hex, over the canonical JSON of a result from outside: tells the same one from another, and says nothing of it without the key. */
export function resultDigest(key: string, result: JsonObject): string {
  return createHmac('sha256', Buffer.from(key, 'base64')).update(canonicalText(result), 'utf8').digest('hex');
}

/** SHA-256 of the UTF-8 bytes of a text, in hex. */
export function sha256Hex(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** SHA-256 of the canonical text of a JSON value, in hex: equal values have equal fingerprints, whatever their key order. */
export function fingerprint(value: JsonValue): string {
  return sha256Hex(canonicalText(value));
}

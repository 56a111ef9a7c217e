import { createHmac } from 'node:crypto';
import type { LedgerPayload } from '../../contracts/ledger.js';
import { randomBytes } from '../random.pool.js';

/** A payload as it is kept: exact bytes, and the salt without which its commitment says nothing. */
export interface SealedPayload {
  readonly salt: Uint8Array;
  readonly body: Buffer;
  /** HMAC-SHA-256 of the body under the salt; stands in the record. */
  readonly commitment: Buffer;
}

/** Binds a payload to its record. Once salt and body are erased, nobody can try out what they were. */
export function sealPayload(payload: LedgerPayload): SealedPayload {
  const body = Buffer.from(JSON.stringify(payload), 'utf8');
  const salt = randomBytes(16);
  return { salt, body, commitment: payloadCommitment(salt, body) };
}

/** What a record keeps of its payload. */
export function payloadCommitment(salt: Uint8Array, body: Uint8Array): Buffer {
  return createHmac('sha256', salt).update(body).digest();
}

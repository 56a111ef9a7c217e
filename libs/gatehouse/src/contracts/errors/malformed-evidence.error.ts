import { brand, GatehouseError } from './gatehouse.error.js';

/** What a piece of published evidence can be. */
export type EvidenceKind =
  'signed note' | 'verifier key' | 'Ed25519 key' | 'checkpoint' | 'tlog-proof' | 'proof' | 'archive';

/** A note, key, checkpoint or proof is not written as its format demands. Nothing in it may be believed. */
@brand('MalformedEvidenceError')
export class MalformedEvidenceError extends GatehouseError {
  constructor(
    readonly kind: EvidenceKind,
    problem: string,
  ) {
    super(`This is no valid ${kind}: ${problem}. Use it exactly as it was issued.`);
  }
}

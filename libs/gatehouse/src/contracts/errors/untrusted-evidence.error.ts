import { brand, GatehouseError } from './gatehouse.error.js';

/**
 * Why well-written evidence is not believed: no trusted key signed it (`unknown key`), a signature under the name of a trusted key is false
 * (`bad signature`), another log issued it (`other log`), or its record is not in the signed tree (`other root`).
 */
export type DistrustReason = 'unknown key' | 'bad signature' | 'other log' | 'other root';

/** Evidence that does not hold for the keys and the log its reader trusts. Only `unknown key` can be cured by another key. */
@brand('UntrustedEvidenceError')
export class UntrustedEvidenceError extends GatehouseError {
  constructor(
    readonly reason: DistrustReason,
    message: string,
  ) {
    super(message);
  }
}

import { Injectable } from '@nestjs/common';
import { VerificationRunningError } from '../../contracts/errors/verification-running.error.js';
import type { Anchor } from '../../contracts/ports/anchor.js';
import { LedgerReader } from '../../contracts/ports/ledger.reader.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import type { ProofBundle } from '../prove/proof.bundle.js';
import { proveRecord, type ProveOptions } from '../prove/prove.record.js';
import { SealKeys } from '../seal/seal.keys.js';
import { verifyLedger, type Verification } from './verification.js';
import type { AnchoredNote, VerifyOptions } from './verify.options.js';

/** Verifies and proves the evidence of this application, with its own keys and anchors where nobody names others. */
@Injectable()
export class EvidenceVerifier {
  private isRunning = false;

  constructor(
    private readonly reader: LedgerReader,
    private readonly keys: SealKeys,
    private readonly options: ResolvedOptions,
  ) {}

  async verify(options: VerifyOptions): Promise<Verification> {
    if (this.isRunning) throw new VerificationRunningError();
    this.isRunning = true;
    try {
      const own = { keys: this.keys.verifierKeys, origin: this.keys.origin, anchors: await this.anchored(options) };
      return await verifyLedger(
        this.reader,
        options.keys === undefined ? { ...own, ...options } : { anchors: own.anchors, ...options },
      );
    } finally {
      this.isRunning = false;
    }
  }

  prove(id: string, options?: ProveOptions): Promise<ProofBundle> {
    return proveRecord(this.reader, id, options);
  }

  private async anchored({ anchors }: VerifyOptions): Promise<readonly AnchoredNote[]> {
    if (anchors !== undefined) return anchors;
    const notes = await Promise.all((this.options.audit.seal?.anchors ?? []).map(latestOf));
    return notes.filter((note) => note !== undefined);
  }
}

// An anchor that does not answer pins nothing, which the report says.
async function latestOf(anchor: Anchor): Promise<AnchoredNote | undefined> {
  try {
    const note = await anchor.latest?.();
    return note === undefined ? undefined : { name: anchor.name, note };
  } catch {
    return undefined;
  }
}

import { Injectable } from '@nestjs/common';
import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import { LegalHoldError } from '../../contracts/errors/legal-hold.error.js';
import type { LedgerEntry } from '../../contracts/ledger.js';
import { EvidenceKeeping, type ErasureCount, type ErasureSubject } from '../../contracts/ports/evidence.keeping.js';
import { isUuid, newId } from '../../values/ids.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';
import { EvidenceWriter } from '../evidence.writer.js';
import { DURABLY_WITHIN } from './durably.within.js';

/** Whose traces are to go. */
export type ErasureRequest = ErasureSubject & {
  /** Who wants it. */
  readonly by: string;
  /** Why: kept beside the record of the erasure. */
  readonly reason?: string;
  /** Only counts. */
  readonly dryRun?: boolean;
};

/**
 * Takes away what was written by and about somebody, and keeps the proof: the sealed records stay, with opaque ids alone, and verify as before.
 * It reaches this database: not its backups, not what was exported, not logs.
 */
@Injectable()
export class Erasure {
  constructor(
    private readonly keeping: EvidenceKeeping,
    private readonly writer: EvidenceWriter,
  ) {}

  /**
   * Recorded before anything goes; asked again, it goes on where it stopped, and finds nothing where nothing is left.
   *
   * @throws LegalHoldError where something of it is held
   */
  async erase(request: ErasureRequest): Promise<ErasureCount> {
    const subject = subjectOf(request);
    // Facts on their way have payloads, too.
    await this.writer.flush();
    const found = await this.keeping.countErasable(subject);
    if (request.dryRun === true || (found.payloads === 0 && found.runs === 0)) return found;
    const holds = await this.keeping.holdsOnSubject(subject);
    if (holds.length > 0) {
      throw new LegalHoldError(
        'Something of what is to be erased',
        holds.map(({ id }) => id),
      );
    }
    const { now } = await this.keeping.clock();
    await this.record(request, subject, found.payloads, now);
    return this.keeping.erase(subject, now);
  }

  private async record(
    { by, reason }: ErasureRequest,
    subject: ErasureSubject,
    amount: number,
    at: Date,
  ): Promise<void> {
    const entry = (of: ErasureSubject, counted: number | null): LedgerEntry => ({
      record: {
        id: newId(),
        kind: 'erased',
        at,
        ...('runId' in of ? { runId: of.runId } : { principalId: ledgerName(of.principalId) }),
        amount: counted,
        reference: ledgerName(by),
      },
      payload: reason === undefined ? null : { reason },
    });
    const runs = await this.keeping.runsToCover(subject);
    const entries = [entry(subject, amount), ...runs.map((runId) => entry({ runId }, null))];
    await Promise.all(entries.map((one) => this.writer.submitDurably(one, DURABLY_WITHIN)));
  }
}

function subjectOf(request: ErasureRequest): ErasureSubject {
  if ('runId' in request) {
    if (!isUuid(request.runId)) throw new InvalidQueryError('runId', 'must be a uuid');
    return { runId: request.runId.toLowerCase() };
  }
  if (request.principalId === '') throw new InvalidQueryError('principalId', 'must not be empty');
  return { principalId: request.principalId };
}

import { Injectable } from '@nestjs/common';
import { newId } from '../values/ids.js';
import { ledgerName } from '../values/ledger/ledger.name.js';
import { EvidenceWriter } from './evidence.writer.js';

/** That somebody looked at the evidence. */
export interface Reading {
  /** Who. */
  readonly by: string;
  readonly organizationId?: string | undefined;
  readonly runId?: string | undefined;
  /** Which list. */
  readonly what: string;
  /** How many records were handed out. */
  readonly amount: number;
}

/** Records who reads evidence (PCI DSS 10.2.1.3): queued, so that reading costs no commit. */
@Injectable()
export class ReadingRecords {
  constructor(private readonly writer: EvidenceWriter) {}

  tell({ by, organizationId, runId, what, amount }: Reading): void {
    this.writer.submit({
      record: {
        id: newId(),
        kind: 'read',
        at: new Date(),
        status: 'finished',
        organizationId: organizationId === undefined ? null : ledgerName(organizationId),
        principalId: ledgerName(by),
        runId: runId ?? null,
        reference: what,
        amount,
      },
      payload: null,
    });
  }
}

import { Injectable } from '@nestjs/common';
import { IntentConflictError } from '../../contracts/errors/intent-conflict.error.js';
import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import type { IntentResolution, OpenIntent } from '../../contracts/intent.js';
import { EvidenceStore } from '../../contracts/ports/evidence.store.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { newId } from '../../values/ids.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';
import { sanitizeText } from '../../values/sanitizer.js';
import { EvidenceWriter } from '../evidence.writer.js';

/** Takes a person's word on calls whose outcome nobody knows. */
@Injectable()
export class IntentResolver {
  constructor(
    private readonly store: EvidenceStore,
    private readonly writer: EvidenceWriter,
    private readonly options: ResolvedOptions,
  ) {}

  /** @throws IntentConflictError, AuditUnavailableError; InvalidQueryError without a person or a note */
  async resolve(intentId: string, { outcome, by, note }: IntentResolution): Promise<OpenIntent> {
    if (by.trim() === '') throw new InvalidQueryError('by', 'must say who');
    if (note.trim() === '') throw new InvalidQueryError('note', 'must say how it is known');
    const intent = await this.store.intent(intentId);
    if (intent === undefined) throw new IntentConflictError(intentId, 'unknown intent');
    if (intent.closed) throw new IntentConflictError(intentId, 'closed');
    if (!intent.open.unknown) throw new IntentConflictError(intentId, 'running');
    const { runId, threadId, operationId, toolName, organizationId } = intent.open;
    await this.writer.submitDurably(
      {
        record: {
          id: newId(),
          kind: 'tool.resolved',
          at: new Date(),
          runId,
          threadId,
          operationId,
          toolName,
          organizationId,
          principalId: ledgerName(by),
          status: outcome,
          reference: intent.open.id,
        },
        payload: { note: sanitizeText(note) },
      },
      this.options.audit.deadline,
    );
    return intent.open;
  }
}

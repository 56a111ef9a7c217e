import { Injectable } from '@nestjs/common';
import type { AuditEvent } from '../../contracts/audit.event.js';
import type { LedgerEntry } from '../../contracts/ledger.js';
import type { TraceIds } from '../../contracts/ports/trace.context.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { newId } from '../../values/ids.js';
import { executionEntry } from '../../values/ledger/execution.entry.js';
import { ledgerName } from '../../values/ledger/ledger.name.js';
import { tracePlace } from '../../values/ledger/trace.place.js';
import { visibleText } from '../../values/visible-text.js';
import { EvidenceWriter } from '../evidence.writer.js';

/** What a call is about to do. */
export interface IntentFacts {
  readonly runId: string;
  readonly threadId: string;
  readonly operationId: string;
  readonly approvalId?: string | undefined;
  readonly toolName: string;
  readonly argumentsDigest?: string | undefined;
  readonly argumentsRepr: string;
  readonly organizationId?: string | undefined;
  readonly principalId?: string | undefined;
  readonly trace?: TraceIds | undefined;
}

/** An intent that was committed. */
export interface Intent {
  readonly id: string;
  readonly facts: IntentFacts;
}

/**
 * Evidence that must be there: an intent before the method starts, its outcome before the result is used. Waits for each commit, for at most
 * `audit.deadline`.
 */
@Injectable()
export class IntentRecords {
  constructor(
    private readonly writer: EvidenceWriter,
    private readonly options: ResolvedOptions,
  ) {}

  /** Whether calls of this tool need one. */
  needed(tool: { readonly destructive: boolean; readonly audit?: 'required' | undefined }): boolean {
    return tool.audit === 'required' || (tool.destructive && this.options.audit.durability === 'required');
  }

  /** @throws AuditUnavailableError where it is not committed: the method must not start */
  async open(facts: IntentFacts): Promise<Intent> {
    const id = newId();
    await this.commit({
      record: {
        ...common(facts),
        id,
        kind: 'tool.intent',
        at: new Date(),
        argumentsDigest: facts.argumentsDigest ?? null,
        approvalId: facts.approvalId ?? null,
      },
      payload: { arguments: visibleText(facts.argumentsRepr) },
    });
    return { id, facts };
  }

  /** The method ended in a veto or deferral, before any effect. @throws AuditUnavailableError */
  withdraw({ id, facts }: Intent): Promise<void> {
    return this.commit({
      record: { ...common(facts), id: newId(), kind: 'tool.withdrawn', at: new Date(), reference: id },
      payload: null,
    });
  }

  /** What the method came to. @throws AuditUnavailableError where it is not committed: its result must not be used */
  settle({ id }: Intent, event: AuditEvent): Promise<void> {
    const { record, payload } = executionEntry(event);
    return this.commit({ record: { ...record, reference: id }, payload });
  }

  private commit(entry: LedgerEntry): Promise<void> {
    return this.writer.submitDurably(entry, this.options.audit.deadline);
  }
}

const common = (facts: IntentFacts) => ({
  runId: facts.runId,
  threadId: ledgerName(facts.threadId),
  operationId: facts.operationId,
  toolName: ledgerName(facts.toolName),
  organizationId: facts.organizationId === undefined ? null : ledgerName(facts.organizationId),
  principalId: facts.principalId === undefined ? null : ledgerName(facts.principalId),
  ...tracePlace(facts.trace ?? {}),
});

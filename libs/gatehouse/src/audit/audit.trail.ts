import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { ApprovalRequest } from '../contracts/approval.js';
import type { ApprovalEvent } from '../contracts/approval.event.js';
import type { AuditEvent } from '../contracts/audit.event.js';
import type { IntentResolution, OpenIntent } from '../contracts/intent.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import type { Page, PageQuery } from '../contracts/page.js';
import type { ErasureCount } from '../contracts/ports/evidence.keeping.js';
import {
  EvidenceStore,
  type ApprovalEventQuery,
  type ApprovalEvidenceQuery,
  type ExecutionQuery,
  type IntentQuery,
  type OperationQuery,
  type TerminalEntry,
  type TerminalQuery,
  type TimelineEntry,
} from '../contracts/ports/evidence.store.js';

import { EvidenceExport, type ExportQuery } from './export/evidence.export.js';
import type { ExportFormat } from './export/export.format.js';
import { Erasure, type ErasureRequest } from './keeping/erasure.js';
import { IntentResolver } from './intents/intent.resolver.js';
import { LegalHolds } from './keeping/legal.holds.js';
import type { ProofBundle } from './prove/proof.bundle.js';
import type { ProveOptions } from './prove/prove.record.js';
import { EvidenceVerifier } from './verify/evidence.verifier.js';
import type { Verification } from './verify/verification.js';
import type { VerifyOptions } from './verify/verify.options.js';
import { Retention, type RetainedMonth, type RetentionRequest } from './keeping/retention.js';

const DEFAULT_LIMIT = 50;
const MOST = 500;

/**
 * The evidence: read newest first, at most 500 records a page; exported, kept, held, erased.
 *
 * @example
 * ```ts
 * const { items, nextCursor } = await trail.executions({ toolName: 'refund', success: false });
 * ```
 */
@Injectable()
export class AuditTrail {
  constructor(
    private readonly store: EvidenceStore,
    private readonly exporting: EvidenceExport,
    private readonly retention: Retention,
    private readonly erasure: Erasure,
    private readonly resolver: IntentResolver,
    /** What must not go, whatever else is asked for. */
    readonly holds: LegalHolds,
    private readonly verifier: EvidenceVerifier,
  ) {}

  /** What ran: one record for each started method, and one for each run that did not end well. */
  executions(query: ExecutionQuery = {}): Promise<Page<AuditEvent>> {
    return this.store.executions(paged(query));
  }

  /** What was proposed, and who decided what about it, whether or not it ran. */
  operations(query: OperationQuery = {}): Promise<Page<OperationRecord>> {
    return this.store.operations(paged(query));
  }

  /** What people were asked, and what they said. */
  approvals(query: ApprovalEvidenceQuery = {}): Promise<Page<ApprovalRequest>> {
    return this.store.approvals(paged(query));
  }

  /** What happened to approvals, in which order, by whom; attempts of people who may not decide (`kind: 'refused'`) too. */
  approvalEvents(query: ApprovalEventQuery = {}): Promise<Page<ApprovalEvent>> {
    return this.store.approvalEvents(paged(query));
  }

  /** How runs ended. */
  terminals(query: TerminalQuery = {}): Promise<Page<TerminalEntry>> {
    return this.store.terminals(paged(query));
  }

  /** Calls that were about to start, of which no outcome is recorded. `unknown`: a person must say what became of it (`resolve`). */
  openIntents(query: IntentQuery = {}): Promise<Page<OpenIntent>> {
    return this.store.openIntents(paged(query));
  }

  /**
   * Takes a person's word on a call whose outcome nobody knows.
   *
   * @throws IntentConflictError where its run still goes on, it has an outcome, or there is no such intent
   */
  resolve(intentId: string, resolution: IntentResolution): Promise<OpenIntent> {
    return this.resolver.resolve(intentId, resolution);
  }

  /** Everything that happened in one run, in order. Empty for an unknown run. */
  timeline(runId: string): Promise<readonly TimelineEntry[]> {
    return this.store.timeline(runId);
  }

  /**
   * Sealed records of every kind, oldest first, as a stream of text. Recorded before the first byte and at the end.
   *
   * @example
   * ```ts
   * await pipeline(trail.export({ by: 'ann', organizationId: 'acme' }, 'csv'), createWriteStream('evidence.csv'));
   * ```
   */
  export(query: ExportQuery, format: ExportFormat = 'ndjson'): Readable {
    return this.exporting.open(query, format);
  }

  /** Lets whole months go that are older than a period; never under 184 days unless forced, never under a legal hold. Says what became of each. */
  retain(request: RetentionRequest): Promise<readonly RetainedMonth[]> {
    return this.retention.retain(request);
  }

  /**
   * Takes away the texts by and about a person, or of one run, that are over; the sealed records stay and verify. Recorded before anything goes.
   *
   * @throws LegalHoldError where something of it is held
   */
  erase(request: ErasureRequest): Promise<ErasureCount> {
    return this.erasure.erase(request);
  }

  /**
   * Holds everything that is stored against what was signed, in one snapshot: minutes for millions of records. By default with the application's own
   * keys and anchors; who does not trust the application names others, or runs `gatehouse verify`.
   *
   * @example
   * ```ts
   * const { report, state } = await trail.verify({ since: lastState });
   * if (report.outcome !== 'ok') page(report.faults, report.shortfalls);
   * ```
   * @throws VerificationRunningError while another one runs here
   * @throws ConfigurationError without a key, or without `persistence`
   */
  verify(options: VerifyOptions = {}): Promise<Verification> {
    return this.verifier.verify(options);
  }

  /**
   * What proves one sealed record to somebody who has only the verifier key: see `verifyProof`.
   *
   * @throws InvalidQueryError for an unknown record, and for one that is not sealed yet (a second)
   * @throws IntegrityError where what is stored is not what was sealed
   */
  prove(id: string, options?: ProveOptions): Promise<ProofBundle> {
    return this.verifier.prove(id, options);
  }
}

function paged<Query extends PageQuery>(query: Query): Query & { readonly limit: number } {
  const asked = Math.trunc(query.limit ?? DEFAULT_LIMIT);
  return { ...query, limit: Number.isNaN(asked) ? DEFAULT_LIMIT : Math.min(Math.max(asked, 1), MOST) };
}

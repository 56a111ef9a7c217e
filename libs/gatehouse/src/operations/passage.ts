import type { HookDecision } from '../contracts/decisions/decisions.js';
import { RunCancelledError } from '../contracts/errors/run-cancelled.error.js';
import type { OperationRejection } from '../contracts/operation.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { DecidedBy, OperationStatus, RunStage, ToolOutcome } from '../contracts/statuses.js';

/** Something that ends the run, and where it happened. */
export interface RunEnd {
  readonly error: Error;
  readonly stage: RunStage;
  /** The operation that ended it; nobody for a limit and a cancel. */
  readonly by?: string;
}

/** A limit and a cancel are nobody's doing: what they skip names no operation. */
export const isNobodys = ({ error, stage }: RunEnd): boolean => stage === 'limit' || error instanceof RunCancelledError;

/** How one operation ended, before it is told to anyone. */
export interface Ending {
  readonly status: OperationStatus;
  readonly outcome: ToolOutcome;
  readonly content: string;
  readonly decidedBy?: DecidedBy;
  readonly reason?: string;
  readonly value?: unknown;
  readonly error?: unknown;
  readonly rejection?: OperationRejection;
  readonly blockedBy?: string;
  readonly ends?: RunEnd;
  /** A linked operation takes over: its result answers the model's call id. */
  readonly redirect?: Extract<HookDecision, { kind: 'redirect' }>;
}

/** A stop on the way through the pipeline: an ending, or a wait, for a person or for a result from outside. Nothing: go on. */
export type Stop =
  { readonly ending: Ending } | { readonly waiting: StoredApproval } | { readonly deferred: StoredDeferral };
export type Passage = Stop | undefined;

export const end = (ending: Ending): Stop => ({ ending });

/** An `Error` for whatever was thrown. */
export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error('Something that is no error was thrown.', { cause: thrown });

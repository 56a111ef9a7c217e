import type { DeferredCall } from '../deferred.call.js';
import type { StoredResult } from './stored.step.js';

/** What is stored when a call is handed on. */
export interface NewDeferral extends Omit<DeferredCall, 'requestedAt'> {
  /** The method had been executed before, and a middleware handed the call on. */
  readonly executed?: true;
}

/** `open`: its result is waited for. `closed`: its run ended, or was ended, without one. */
export type DeferralStatus = 'open' | 'answered' | 'closed';

/** A deferred call with its working state. */
export interface StoredDeferral extends NewDeferral, DeferredCall {
  readonly status: DeferralStatus;
  /** What the model is told. */
  readonly result?: StoredResult;
  /** Keyed, of the exact result: tells the same one from another without keeping it. */
  readonly resultDigest?: string;
  readonly answeredBy?: string;
  readonly answeredAt?: Date;
}

/** The result of one deferred call. Who may give it was checked before. */
export interface NewAnswer {
  readonly operationId: string;
  readonly result: StoredResult;
  readonly resultDigest: string;
  readonly answeredBy: string;
}

/** `recorded`: kept now. `repeated`: the same again. Anything else: not kept. */
export type AnswerVerdict = 'recorded' | 'repeated' | 'conflict' | 'closed' | 'unknown';

/** What the results of one transaction came to, in their order. Not `accepted`: none of them was kept. */
export interface AnswersResult {
  readonly accepted: boolean;
  readonly verdicts: readonly AnswerVerdict[];
}

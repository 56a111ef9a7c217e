import type { JsonObject } from '../json.js';

/** Go on. */
export interface Acceptance {
  readonly kind: 'accept';
}
/** This call must not run; the model may choose another. */
export interface Rejection {
  readonly kind: 'reject';
  readonly reason: string;
  readonly guidance?: string;
}
/** The run must end. */
export interface Abortion {
  readonly kind: 'abort';
  readonly reason: string;
}
/** Another value takes the result's place. */
export interface Rewrite {
  readonly kind: 'rewrite';
  readonly value: unknown;
}
/** Nothing to say. */
export interface Continuation {
  readonly kind: 'continue';
}
/** The stub stands in for the result; the method does not run. */
export interface Skip {
  readonly kind: 'skip';
  readonly reason: string;
  readonly stubResult: unknown;
}
/** Another tool, other arguments, or both. */
export interface Redirect {
  readonly kind: 'redirect';
  readonly tool?: string;
  readonly args?: JsonObject;
  readonly reason: string;
}

/** What an inspector may say of a proposed call. */
export type OperationDecision = Acceptance | Rejection | Abortion;
/** What an inspector may say of the result a run is about to have. */
export type CommitDecision = Acceptance | Rewrite | Abortion;
/** What a hook may say; `afterTool` and `onError` take only some of it. */
export type HookDecision = Continuation | Skip | Redirect | Abortion;

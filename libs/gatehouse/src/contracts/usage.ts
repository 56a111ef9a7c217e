/** What was used by the end of a segment. */
export interface SegmentUsage {
  /** Tokens of this segment alone. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens, of either kind, of the runs below it in this segment. */
  readonly childTokens: number;
  /** The whole run so far, runs below it apart. */
  readonly run: RunUsage;
}

/** What a run has used so far. */
export interface RunUsage {
  /** Requests sent to the model. */
  readonly requests: number;
  /** Registered proposals, skipped ones apart. */
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

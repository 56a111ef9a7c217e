/** What a run has used so far. */
export interface RunUsage {
  /** Requests sent to the model. */
  readonly requests: number;
  /** Registered proposals, skipped ones apart. */
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

import type { Duration } from './duration.js';

/** What bounds one run (and its children together). */
export interface RunLimits {
  /** Model responses. Default 50. */
  readonly steps: number;
  /** Registered proposals of tools, skipped ones apart; outputs have retries of their own. Default 200. */
  readonly toolCalls: number;
  /** Default 64. */
  readonly callsPerResponse: number;
  /** How often one tool may ask the model again. Default 1. */
  readonly toolRetries: number;
  /** How often an output may be refused before the run fails. Default 1. */
  readonly outputRetries: number;
  /** Redirects in one chain. Default 1. */
  readonly redirects: number;
  /** Refusals of one (tool, digest). Default 3. */
  readonly repeatedRefusals: number;
  /** Refusals of one tool in a row. Default 5. */
  readonly toolRefusals: number;
  /** Default 20. */
  readonly pendingApprovals: number;
  /** Depth of child runs. Default 5. */
  readonly depth: number;
  /** Only without inspectors and `beforeTool` hooks. Default 8. */
  readonly parallelToolCalls: number;
  /** Total tokens; default none. */
  readonly tokens?: number;
  /** Wall time of each segment of a run, from its start or a resumption to its end or a wait; default none. */
  readonly duration?: Duration;
  /** Each inspector, approval predicate and hook. Default 30 s. */
  readonly decisionTimeout: Duration;
}

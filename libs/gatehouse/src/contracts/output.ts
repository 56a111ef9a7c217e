import type { ParameterSource } from './tool.options.js';

/** The name of the call by which a model gives its result. No tool may have it where an output is asked for. */
export const FINAL_OUTPUT = 'final_output';

/**
 * What the result of a run must be, and how a model gives it: `{ return: value }`, `{ returnCall: { toolName, args } }` (the result of one tool
 * call, made once), or, where allowed, `{ raise: operationId }` of an operation that failed.
 *
 * @example
 * ```ts
 * @Agent({ name: 'triage', output: { schema: z.object({ queue: z.enum(['billing', 'tech']) }) } })
 * ```
 */
export interface OutputSpec<Output = unknown> {
  /** A DTO class, a Standard Schema (zod, valibot, arktype), or raw JSON Schema of the value. */
  readonly schema: ParameterSource<Output>;
  /** `tool`: a call of `final_output`. `native`: the response's own text, as JSON. Default `'tool'`. */
  readonly mode?: 'tool' | 'native';
  /** `graceful`: its siblings all settle first. `early`: what follows it is skipped, and native text comes before all calls. Default `'graceful'`. */
  readonly endStrategy?: 'graceful' | 'early';
  /** Whether the run may end by raising a failed operation. Default false. */
  readonly allowRaise?: boolean;
  /** How often an output may be refused before the run fails. Default: `limits.outputRetries`. */
  readonly retries?: number;
}

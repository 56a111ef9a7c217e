import type { ProposedCall } from '../../contracts/operation.js';
import type { ResponseFacts } from '../../contracts/run.js';

/** One visible response of the model, complete. */
export interface ModelResponse {
  readonly calls: readonly ProposedCall[];
  readonly text: string;
  readonly facts: ResponseFacts;
}

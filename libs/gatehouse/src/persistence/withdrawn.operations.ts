import type { StoredStep } from '../contracts/ports/stored.step.js';

/** The operations of a step that had waited for a person and were redirected: an approval of theirs that nobody claimed starts nothing any more. */
export const redirectedOperations = ({ operations }: StoredStep): readonly string[] =>
  operations.flatMap(({ operationId, approvalId, result }) =>
    approvalId !== undefined && result?.status === 'redirected' ? [operationId] : [],
  );

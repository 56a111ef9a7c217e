import type { StoredResult } from '../contracts/ports/stored.step.js';
import { interruptedText } from '../failure/model.texts.js';
import type { Operation } from '../operations/operation.js';
import type { Ending } from '../operations/passage.js';

/** What is known of a call whose process is gone. */
export interface LostCall {
  readonly ending: Ending;
  /** That process had told its listeners and the stream. */
  readonly told: boolean;
}

/** How a call ends that its process left open: as its outcome was stored or told, else interrupted, for nobody knows whether it took effect. */
export const lostCall = (operation: Operation, told: ReadonlyMap<string, StoredResult>): LostCall => {
  const before = told.get(operation.id);
  const known = operation.outcomeStored ?? before;
  if (known?.status === 'completed') operation.ranBefore = true;
  const ending: Ending =
    known === undefined
      ? {
          status: 'interrupted',
          outcome: 'skipped',
          content: interruptedText(operation.toolName, operation.id),
          reason: 'process lost',
        }
      : { ...known, reason: 'its process was lost behind it' };
  return { ending, told: before !== undefined };
};

import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import { deniedText, expiredText, unstartedText, voidText } from '../failure/model.texts.js';
import { refusedTooOften } from './inspection.stage.js';
import type { Operation } from './operation.js';
import type { Ending } from './passage.js';
import type { RunScope } from './run.scope.js';

/** What settles an operation that waited without its start: a person's no, or that nobody answered, or started it, in time. */
export const answerOf = (operation: Operation, scope: RunScope): Ending | undefined => {
  const decided = scope.decided?.get(operation.id);
  if (decided === undefined || decided.status === 'approved') return undefined;
  const ends = refusedTooOften(operation.toolName, decided.argumentsDigest, scope);
  return { ...settledBy(decided), ends };
};

const DENIED = { status: 'denied', outcome: 'denied' } as const;

const NOBODY_SAID_NO = 'its row says that it was denied, and nobody is stored who did';

const settledBy = (decided: StoredApproval): Ending => {
  if (decided.status === 'denied') {
    const { reason, decidedBy } = decided;
    // Whoever wrote it into the row is no person that we know of, and their words are not for the model.
    if (decidedBy.length === 0)
      return { ...DENIED, decidedBy: 'approval', content: deniedText(), reason: NOBODY_SAID_NO };
    return { ...DENIED, decidedBy: 'person', content: deniedText(reason), reason };
  }
  if (decided.status === 'expired') {
    // Approved and expired: it was not started within `executeWithin`.
    const approved = decided.decidedBy.length > 0;
    return {
      status: 'expired',
      outcome: 'denied',
      decidedBy: 'approval',
      content: approved ? unstartedText() : expiredText(),
      reason: approved ? 'it was approved, and not started in time' : 'nobody answered in time',
    };
  }
  const reason = `its approval is ${decided.status}`;
  return { status: 'failed', outcome: 'failed', decidedBy: 'approval', content: voidText(), reason };
};

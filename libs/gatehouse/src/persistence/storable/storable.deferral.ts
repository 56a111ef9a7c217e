import type { NewAnswer, NewDeferral } from '../../contracts/ports/stored.deferral.js';
import { visibleText } from '../../values/visible-text.js';
import { storableId } from './storable.run.js';

/** A deferred call as every store takes it. @throws InvalidQueryError where an id is none */
export function storableDeferral(deferral: NewDeferral): NewDeferral {
  return {
    ...deferral,
    operationId: storableId(deferral.operationId, 'operationId'),
    toolCallId: visibleText(deferral.toolCallId),
    toolName: visibleText(deferral.toolName),
  };
}

/** A result as every store takes it. */
export function storableAnswer(answer: NewAnswer): NewAnswer {
  return { ...answer, answeredBy: visibleText(answer.answeredBy) };
}

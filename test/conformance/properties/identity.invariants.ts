import { GatehouseError, InspectionFailedError, RetryBudgetExceededError, ToolRetryError } from 'nest-gatehouse';
import type { Performance } from './performance.js';

/** Whatever is not ours was thrown by a tool or a role of the script: that very object, never a copy of it. */
const expectKept = (error: unknown, { thrown }: Performance): void => {
  if (error === undefined || thrown.has(error)) return;
  expect(error).toBeInstanceOf(GatehouseError);
  if (error instanceof RetryBudgetExceededError && error.cause instanceof ToolRetryError) {
    expect(thrown.has(error.cause)).toBe(true);
  }
  if (error instanceof InspectionFailedError && error.cause !== undefined) expect(thrown.has(error.cause)).toBe(true);
};

/** One object from where it was thrown to whoever asks: facts, results, the outcome. */
export const theVeryObject = (performance: Performance): void => {
  const { facts, results, outcome, outcomes, asked } = performance;
  for (const { exception } of facts) expectKept(exception, performance);
  for (const { operationId, error } of results.flat()) {
    expectKept(error, performance);
    const fact = facts.find(({ request }) => request.operationId === operationId);
    // What settled before a suspension comes back as it was stored: in words.
    if (outcomes.length === 1 || error !== undefined) expect(error).toBe(fact?.exception);
  }
  if ('error' in outcome) {
    expectKept(outcome.error, performance);
    const ofAnOperation = facts.some(({ exception }) => exception === outcome.error);
    const ownStage =
      outcome.stage === 'limit' || outcome.stage === 'operation_inspection' || outcome.stage === 'output_validation';
    expect([outcome.error.name, ofAnOperation || ownStage || outcome.status === 'cancelled']).toEqual([
      outcome.error.name,
      true,
    ]);
  }
  for (const { rejection, request } of facts.filter(
    ({ status, request }) => status === 'rejected' && request.kind === 'tool',
  )) {
    expect(rejection?.request).toBe(request);
    expect(asked.some((one) => one.request === request)).toBe(true);
  }
};

/** What was told is frozen, down to the fact about a rejection. */
export const factsAreFrozen = ({ facts }: Performance): void => {
  for (const fact of facts) {
    expect([fact, fact.request, fact.shadowed].every(Object.isFrozen)).toBe(true);
    expect(Object.isFrozen(fact.rejection ?? fact)).toBe(true);
  }
};

import type { AnswersResult, NewAnswer, NewDeferral, StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { StoredResult } from '../../contracts/ports/stored.step.js';
import { isKept, judgeAnswers } from '../answer.judgement.js';
import { storableAnswer, storableDeferral } from '../storable/storable.deferral.js';
import { approvalsOf, hasPending } from './memory.approvals.js';
import { become } from './memory.history.js';
import { copied, type MemoryRun, type MemoryState } from './memory.state.js';

/** The calls that a run handed on, oldest first. */
export function deferralsOf(state: MemoryState, runId: string): StoredDeferral[] {
  const of = [...state.deferrals.values()].filter((deferral) => deferral.runId === runId);
  return of.sort(oldestFirst).map((deferral) => Object.freeze(copied(deferral)));
}

/** Whether the run waits for somebody: for a person's decision, or for the result of a call that was handed on. */
export function waitsForSomebody(state: MemoryState, runId: string): boolean {
  return hasPending(state, runId) || deferralsOf(state, runId).some(({ status }) => status === 'open');
}

/** Of a run that ends: nobody's result is waited for any more. */
export function closeDeferrals(state: MemoryState, runId: string): void {
  for (const deferral of deferralsOf(state, runId)) {
    if (deferral.status === 'open') state.deferrals.set(deferral.operationId, { ...deferral, status: 'closed' });
  }
}

/** Stores that a call was handed on; the same operation again is the same call. */
export function deferMemoryCall(
  state: MemoryState,
  run: MemoryRun,
  wanted: NewDeferral,
  withdrawn: StoredResult,
  now: Date,
): StoredDeferral {
  const call = copied(storableDeferral(wanted));
  for (const approval of approvalsOf(state, run.made.id)) {
    if (approval.asked.operationId !== call.operationId || approval.status !== 'executing') continue;
    approval.result = copied(withdrawn);
    become(approval, 'done', now);
  }
  const stored = state.deferrals.get(call.operationId) ?? { ...call, requestedAt: now, status: 'open' };
  state.deferrals.set(call.operationId, stored);
  return Object.freeze(copied(stored));
}

/** All results or none. */
export function answerMemoryCalls(
  state: MemoryState,
  runId: string,
  wanted: readonly NewAnswer[],
  now: Date,
): AnswersResult {
  const answers = copied(wanted.map(storableAnswer));
  const known = new Map(deferralsOf(state, runId).map((deferral) => [deferral.operationId, deferral]));
  const verdicts = judgeAnswers(known, answers);
  const accepted = verdicts.every(isKept);
  if (!accepted) return { accepted, verdicts };
  answers.forEach(({ operationId, ...answer }, at) => {
    const deferral = known.get(operationId);
    if (verdicts[at] !== 'recorded' || deferral === undefined) return;
    state.deferrals.set(operationId, { ...deferral, ...answer, status: 'answered', answeredAt: now });
  });
  return { accepted, verdicts };
}

function oldestFirst(one: StoredDeferral, other: StoredDeferral): number {
  return one.requestedAt.getTime() - other.requestedAt.getTime() || (one.operationId < other.operationId ? -1 : 1);
}

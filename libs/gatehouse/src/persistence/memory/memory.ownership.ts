import type { Fence } from '../../contracts/ports/run.fence.js';
import type {
  Ownership,
  StartRunResult,
  StepProgress,
  TakeOver,
  TakeOverResult,
} from '../../contracts/ports/run.store.js';
import type { Owner } from '../../contracts/ports/run.reader.js';
import type { NewRun, RunCounters } from '../../contracts/ports/stored.run.js';
import type { RunFrame } from '../../contracts/run.events.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';
import { NO_COUNTERS } from '../no.counters.js';
import { ownerKey, ownerOf } from '../owner.key.js';
import { storableName, storableRun } from '../storable/storable.run.js';
import { storedCancel } from '../stored.cancel.js';
import { approvalsOf, closeApprovals, expireOverdue, hasPending } from './memory.approvals.js';
import { copied, segmentKey, type MemoryRun, type MemoryState } from './memory.state.js';
import { storedApproval, storedRun } from './memory.views.js';
import { fenced, newFrames, writeFrames, writeMessages, writeProgress } from './memory.writes.js';

/** Stores a run, its thread, its segment, its messages and its first frames; or says why not. */
export function startMemoryRun(
  state: MemoryState,
  wanted: NewRun,
  messages: readonly ThreadMessage[],
  frames: readonly RunFrame[],
  ownership: Ownership,
  now: Date,
): StartRunResult {
  const made = copied(storableRun(wanted));
  const owner = ownerOf(made);
  const key = ownerKey(owner);
  const refused = refusal(state, made, key);
  if (refused !== undefined) return refused;
  const run = newRun(made, key, ownership, now);
  state.runs.set(made.id, run);
  openThread(state, made.threadId, key, owner);
  state.segments.set(segmentKey(key, made.segment), { runId: made.id, firstSeq: 1 });
  writeMessages(state, run, messages);
  writeFrames(state, run, frames);
  return { started: storedRun(run) };
}

function newRun(made: NewRun, key: string, { owner, leaseMs }: Ownership, now: Date): MemoryRun {
  return {
    made,
    ownerKey: key,
    startedAt: now,
    status: 'running',
    epoch: 1,
    owner,
    leaseUntil: now.getTime() + leaseMs,
    step: 0,
    counters: copied<RunCounters>(NO_COUNTERS),
    state: made.state,
    lastSeq: 0,
  };
}

function openThread(state: MemoryState, threadId: string, key: string, owner: Owner): void {
  if (!state.threads.has(threadId)) state.threads.set(threadId, { ownerKey: key, owner, messages: [] });
}

function refusal(state: MemoryState, run: NewRun, key: string): StartRunResult | undefined {
  const thread = state.threads.get(run.threadId);
  if (thread !== undefined && thread.ownerKey !== key) return { refused: 'thread' };
  if (state.runs.has(run.id)) return { refused: 'run', runId: run.id };
  const segment = state.segments.get(segmentKey(key, run.segment));
  if (segment !== undefined) return { refused: 'segment', runId: segment.runId };
  if (run.parentRunId !== undefined) return undefined;
  const busy = [...state.runs.values()].find((other) => occupiesThread(other) && other.made.threadId === run.threadId);
  return busy === undefined ? undefined : { refused: 'busy', runId: busy.made.id };
}

// A child runs while its parent does, on the parent's thread where it likes.
function occupiesThread({ status, made }: MemoryRun): boolean {
  return (status === 'running' || status === 'suspended') && made.parentRunId === undefined;
}

/** Takes a suspended run, or says why not. */
export function takeOverRun(
  state: MemoryState,
  take: TakeOver,
  { owner, leaseMs }: Ownership,
  now: Date,
): TakeOverResult {
  const segment = storableName(take.segment, 'segment');
  const run = state.runs.get(take.runId);
  if (run === undefined) return { refused: 'unknown' };
  if (run.status !== 'suspended') return { refused: 'not-suspended' };
  expireOverdue(approvalsOf(state, take.runId), now);
  if (take.purpose === 'resume' && hasPending(state, take.runId)) return { refused: 'pending' };
  const key = segmentKey(run.ownerKey, segment);
  if (state.segments.has(key)) return { refused: 'segment' };
  state.segments.set(key, { runId: take.runId, firstSeq: run.lastSeq + 1 });
  if (take.purpose === 'end') closeApprovals(state, take.runId, take.openBecome ?? 'cancelled', now);
  run.status = 'running';
  run.epoch += 1;
  run.owner = owner;
  run.leaseUntil = now.getTime() + leaseMs;
  const step = state.steps.get(take.runId)?.at(-1);
  return {
    taken: storedRun(run),
    ...(step === undefined ? {} : { step: copied(step) }),
    approvals: approvalsOf(state, take.runId).map(storedApproval),
  };
}

/** Lets a run wait; where nobody is waited for any more it stays with its owner. */
export function suspendRun(
  state: MemoryState,
  fence: Fence,
  progress: StepProgress,
  frames: readonly RunFrame[],
): 'suspended' | 'decided' {
  const stored = state.runs.get(fence.runId);
  if (stored?.status === 'suspended' && stored.epoch === fence.epoch) return 'suspended';
  const run = fenced(state, fence);
  if (run.cancel !== undefined) throw storedCancel(run.cancel.source, run.cancel.reason);
  if (!hasPending(state, fence.runId)) return 'decided';
  writeFrames(state, run, newFrames(state, fence.runId, frames));
  writeProgress(state, run, progress);
  run.status = 'suspended';
  return 'suspended';
}

/** Lets a run wait again that a lost process was resuming. */
export function giveRunBack(state: MemoryState, fence: Fence, frames: readonly RunFrame[]): void {
  const stored = state.runs.get(fence.runId);
  if (stored?.status === 'suspended' && stored.epoch === fence.epoch) return;
  const run = fenced(state, fence);
  writeFrames(state, run, newFrames(state, fence.runId, frames));
  run.status = 'suspended';
}

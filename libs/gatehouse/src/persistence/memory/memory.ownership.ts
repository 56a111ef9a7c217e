import type { Fence } from '../../contracts/ports/run.fence.js';
import type {
  Ownership,
  Queueing,
  Requeue,
  RequeueResult,
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
import { keptCancel, storedCancel } from '../stored.cancel.js';
import { approvalsOf, closeApprovals, expireOverdue } from './memory.approvals.js';
import { closeDeferrals, deferralsOf, waitsForSomebody } from './memory.deferrals.js';
import { copied, segmentKey, type MemoryRun, type MemoryState } from './memory.state.js';
import { storedApproval, storedRun } from './memory.views.js';
import { fenced, newFrames, writeFrames, writeMessages, writeProgress } from './memory.writes.js';

/** Stores a run, its thread, its segment, its messages and its first frames; or says why not. */
export function startMemoryRun(
  state: MemoryState,
  wanted: NewRun,
  messages: readonly ThreadMessage[],
  frames: readonly RunFrame[],
  ownership: Ownership | Queueing,
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

function newRun(made: NewRun, key: string, ownership: Ownership | Queueing, now: Date): MemoryRun {
  const begun = 'owner' in ownership;
  return {
    made,
    ownerKey: key,
    startedAt: now,
    status: begun ? 'running' : 'queued',
    epoch: begun ? 1 : 0,
    owner: begun ? ownership.owner : null,
    leaseUntil: now.getTime() + (begun ? ownership.leaseMs : ownership.startWithinMs),
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
  return ['queued', 'running', 'suspended'].includes(status) && made.parentRunId === undefined;
}

/** Takes a suspended or queued run, or says why not. */
export function takeOverRun(state: MemoryState, take: TakeOver, ownership: Ownership, now: Date): TakeOverResult {
  const segment = storableName(take.segment, 'segment');
  const run = state.runs.get(take.runId);
  if (run === undefined) return { refused: 'unknown' };
  const queued = run.status === 'queued';
  if (!queued && (run.status !== 'suspended' || take.only !== undefined)) return { refused: 'not-suspended' };
  expireOverdue(approvalsOf(state, take.runId), now);
  if (take.purpose === 'resume' && waitsForSomebody(state, take.runId)) return { refused: 'pending' };
  const open = queued ? openSegment(state, run) : undefined;
  if (open === undefined && !newSegment(state, run, segment)) return { refused: 'segment' };
  if (take.purpose === 'end') {
    closeApprovals(state, take.runId, take.openBecome ?? 'cancelled', now);
    closeDeferrals(state, take.runId);
  }
  run.cancel ??= keptCancel(take);
  return { ...own(state, run, ownership, now), ...(open === undefined ? {} : { open }) };
}

/** Queues a suspended run that waits for nobody, in a new segment. */
export function requeueRun(state: MemoryState, requeue: Requeue, now: Date): RequeueResult {
  const segment = storableName(requeue.segment, 'segment');
  const run = state.runs.get(requeue.runId);
  if (run === undefined) return { refused: 'unknown' };
  if (run.status !== 'suspended') return { refused: 'not-suspended' };
  expireOverdue(approvalsOf(state, requeue.runId), now);
  if (waitsForSomebody(state, requeue.runId)) return { refused: 'pending' };
  if (!newSegment(state, run, segment)) return { refused: 'segment' };
  writeFrames(state, run, [{ seq: run.lastSeq + 1, event: requeue.started }]);
  run.status = 'queued';
  run.owner = null;
  run.leaseUntil = now.getTime() + requeue.startWithinMs;
  return { queued: storedRun(run) };
}

function newSegment(state: MemoryState, run: MemoryRun, segment: string): boolean {
  const key = segmentKey(run.ownerKey, segment);
  if (state.segments.has(key)) return false;
  state.segments.set(key, { runId: run.made.id, firstSeq: run.lastSeq + 1 });
  return true;
}

function openSegment(state: MemoryState, { made, ownerKey }: MemoryRun): { segment: string; firstSeq: number } {
  const of = [...state.segments].filter(([, { runId }]) => runId === made.id);
  const [key, { firstSeq }] = of.reduce((last, one) => (one[1].firstSeq > last[1].firstSeq ? one : last));
  return { segment: key.slice(segmentKey(ownerKey, '').length), firstSeq };
}

function own(
  state: MemoryState,
  run: MemoryRun,
  { owner, leaseMs }: Ownership,
  now: Date,
): Extract<TakeOverResult, { taken: unknown }> {
  run.status = 'running';
  run.epoch += 1;
  run.owner = owner;
  run.leaseUntil = now.getTime() + leaseMs;
  const step = state.steps.get(run.made.id)?.at(-1);
  return {
    taken: storedRun(run),
    ...(step === undefined ? {} : { step: copied(step) }),
    approvals: approvalsOf(state, run.made.id).map(storedApproval),
    deferrals: deferralsOf(state, run.made.id),
  };
}

/** Lets a run wait; where nobody is waited for any more it stays with its owner. */
export function suspendRun(
  state: MemoryState,
  fence: Fence,
  progress: StepProgress,
  frames: readonly RunFrame[],
  now: Date,
): 'suspended' | 'decided' {
  const stored = state.runs.get(fence.runId);
  if (stored?.status === 'suspended' && stored.epoch === fence.epoch) return 'suspended';
  const run = fenced(state, fence);
  if (run.cancel !== undefined) throw storedCancel(run.cancel.source, run.cancel.reason);
  if (!waitsForSomebody(state, fence.runId)) return 'decided';
  writeFrames(state, run, newFrames(state, fence.runId, frames));
  writeProgress(state, run, progress, now);
  run.status = 'suspended';
  run.watched = undefined;
  return 'suspended';
}

/** Lets a run wait again that a lost process was resuming. */
export function giveRunBack(
  state: MemoryState,
  fence: Fence,
  frames: readonly RunFrame[],
  now: Date,
  progress?: StepProgress,
): void {
  const stored = state.runs.get(fence.runId);
  if (stored?.status === 'suspended' && stored.epoch === fence.epoch) return;
  const run = fenced(state, fence);
  if (run.cancel !== undefined) throw storedCancel(run.cancel.source, run.cancel.reason);
  writeFrames(state, run, newFrames(state, fence.runId, frames));
  if (progress !== undefined) writeProgress(state, run, progress, now);
  run.status = 'suspended';
  run.watched = undefined;
}

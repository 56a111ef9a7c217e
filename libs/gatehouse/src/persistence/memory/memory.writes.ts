import { LeaseLostError } from '../../contracts/errors/lease-lost.error.js';
import type { OperationRecord } from '../../contracts/operation.record.js';
import type { Fence } from '../../contracts/ports/run.fence.js';
import type { StepProgress } from '../../contracts/ports/run.store.js';
import type { StoredStep } from '../../contracts/ports/stored.step.js';
import type { RunFrame } from '../../contracts/run.events.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';
import { frameConflict } from '../frame.conflict.js';
import { storableOperation } from '../storable/storable.evidence.js';
import { withdrawApprovals } from './memory.approvals.js';
import { copied, type MemoryRun, type MemoryState } from './memory.state.js';

/** The fence: the run, where this owner still owns it and it runs. @throws LeaseLostError */
export function fenced(state: MemoryState, fence: Fence): MemoryRun {
  const run = state.runs.get(fence.runId);
  if (run === undefined || run.epoch !== fence.epoch || run.status !== 'running') throw new LeaseLostError(fence.runId);
  return run;
}

/** Frames that are not stored yet; call it before any other write. @throws RangeError where a stored one says something else */
export function newFrames(state: MemoryState, runId: string, frames: readonly RunFrame[]): readonly RunFrame[] {
  const stored = state.frames.get(runId) ?? [];
  return frames.filter((frame) => {
    // Numbered from 1 without a gap: a run that speaks much is not searched through.
    const before = stored[frame.seq - 1];
    if (before === undefined) return true;
    if (JSON.stringify(before.event) !== JSON.stringify(frame.event)) throw frameConflict(runId, frame.seq);
    return false;
  });
}

export function writeFrames(state: MemoryState, run: MemoryRun, frames: readonly RunFrame[]): void {
  const stored = state.frames.get(run.made.id) ?? [];
  for (const frame of copied(frames)) stored.push(frame);
  state.frames.set(run.made.id, stored);
  run.lastSeq = Math.max(run.lastSeq, ...frames.map(({ seq }) => seq));
}

/** The same message of the same run twice is one. */
export function writeMessages(state: MemoryState, run: MemoryRun, messages: readonly ThreadMessage[]): void {
  const stored = state.threads.get(run.made.threadId)?.messages ?? [];
  for (const message of messages) {
    const text = JSON.stringify(message);
    const isThere = stored.some(
      ({ runId, message: { id }, message: before }) =>
        runId === run.made.id && id === message.id && JSON.stringify(before) === text,
    );
    if (!isThere) stored.push({ runId: run.made.id, message: copied(message) });
  }
}

export function writeStep(state: MemoryState, run: MemoryRun, step: StoredStep, keep: 'first' | 'last'): void {
  const steps = state.steps.get(run.made.id) ?? [];
  const at = steps.findIndex((before) => before.step === step.step);
  if (at < 0) steps.push(copied(step));
  else if (keep === 'last') steps[at] = copied(step);
  state.steps.set(run.made.id, steps);
  run.step = Math.max(run.step, step.step);
}

export function writeOperations(state: MemoryState, records: readonly OperationRecord[]): void {
  for (const record of records) {
    if (!state.operations.has(record.id)) state.operations.set(record.id, storableOperation(record));
  }
}

/** Everything that changed with a step. */
export function writeProgress(state: MemoryState, run: MemoryRun, progress: StepProgress, now: Date): void {
  withdrawApprovals(state, run.made.id, progress.step, now);
  writeStep(state, run, progress.step, 'last');
  writeMessages(state, run, progress.messages);
  writeOperations(state, progress.operations);
  run.state = copied(progress.state);
  run.counters = copied(progress.counters);
}

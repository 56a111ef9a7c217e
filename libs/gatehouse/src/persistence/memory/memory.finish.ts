import type { Fence } from '../../contracts/ports/run.fence.js';
import type { RunEnding } from '../../contracts/ports/run.store.js';
import type { RunFrame } from '../../contracts/run.events.js';
import { storableExecution, storableTerminal } from '../storable/storable.evidence.js';
import { closeApprovals } from './memory.approvals.js';
import { closeDeferrals } from './memory.deferrals.js';
import { copied, type MemoryState } from './memory.state.js';
import { fenced, newFrames, writeFrames, writeMessages, writeOperations, writeStep } from './memory.writes.js';

/** The end of a run; false when it had already ended otherwise. */
export function finishRun(
  state: MemoryState,
  fence: Fence,
  ending: RunEnding,
  frames: readonly RunFrame[],
  now: Date,
): boolean {
  if (state.runs.get(fence.runId)?.finishedAt !== undefined) return state.terminals.has(ending.record.id);
  const run = fenced(state, fence);
  const fresh = newFrames(state, fence.runId, frames);
  const record = storableTerminal(ending.record);
  run.status = record.status;
  run.finishedAt = now;
  run.owner = null;
  run.state = copied(ending.state);
  run.counters = copied(ending.counters);
  closeApprovals(state, fence.runId, ending.openBecome ?? 'cancelled', now);
  closeDeferrals(state, fence.runId);
  if (ending.step !== undefined) writeStep(state, run, ending.step, 'last');
  writeMessages(state, run, ending.messages);
  writeOperations(state, ending.operations);
  state.terminals.set(record.id, copied(record));
  if (ending.audit !== undefined && !state.executions.has(ending.audit.id)) {
    state.executions.set(ending.audit.id, copied(storableExecution(ending.audit)));
  }
  writeFrames(state, run, fresh);
  return true;
}

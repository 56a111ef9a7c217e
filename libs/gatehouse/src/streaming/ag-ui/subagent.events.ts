import type { ChildStatus, RunEvent } from '../../contracts/run.events.js';
import type { AgUiEvent } from './ag-ui.event.js';

type Told<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>;

/** A run that a call has started: its own events are under its own id, see `GET runs/:id/events`. */
export function subagentStarted({ runId, agent, operationId, toolCallId }: Told<'child.started'>): AgUiEvent {
  return {
    type: 'SUBAGENT_STARTED',
    subagentRunId: runId,
    name: agent,
    ...(toolCallId === undefined ? {} : { parentToolCallId: toolCallId }),
    metadata: { gatehouse: { operationId } },
  };
}

/** `running` is told of one that outlives this segment: AG-UI calls that suspended. */
export function subagentFinished({ runId: subagentRunId, status }: Told<'child.finished'>): AgUiEvent {
  if (isFailure(status)) {
    return { type: 'SUBAGENT_ERROR', subagentRunId, message: `The run of this subagent was ${status}.`, code: status };
  }
  const type = status === 'completed' ? 'success' : 'suspended';
  return { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type }, metadata: { gatehouse: { status } } };
}

const ENDED_WELL: ReadonlySet<ChildStatus> = new Set(['completed', 'suspended', 'running']);
const isFailure = (status: ChildStatus): boolean => !ENDED_WELL.has(status);

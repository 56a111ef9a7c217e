import type { RunHandle, RunRequest } from '../contracts/run.js';
import type { LineagePoint } from '../operations/lineage.js';

const INLINE = '(inline)';

/** The stream of the run above says that one of its calls has started this run, and how it ended; a run that was refused never was. */
export function tellParent({ operationId, scope }: LineagePoint, child: RunHandle, given: RunRequest['agent']): void {
  const tell = scope.childNews;
  if (tell === undefined) return;
  const { runId } = child;
  const agent = typeof given === 'string' ? given : INLINE;
  const toolCallId = scope.toolCallOf?.(operationId);
  const call = toolCallId === undefined ? { operationId } : { operationId, toolCallId };
  const begun = child.started.then(() => tell({ type: 'child.started', runId, agent, ...call }));
  const ended = begun.then(() => child.outcome).then(({ status }) => tell({ type: 'child.finished', runId, status }));
  // What was refused is the caller's news, who has the handle; a listener that threw has its own way to be heard.
  ended.catch(() => undefined);
}

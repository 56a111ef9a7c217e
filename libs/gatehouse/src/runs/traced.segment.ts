import type { TraceContext, TracedRun } from '../contracts/ports/trace.context.js';
import type { RunOutcome } from '../contracts/run.js';
import { DIRECT_AGENT } from './direct.agent.js';
import type { LiveRun } from './live.run.js';

/** Does the work of one segment inside its span, where somebody traces. Around a program's own call stands no agent. */
export const traced = (traces: TraceContext, live: LiveRun, work: () => Promise<RunOutcome>): Promise<RunOutcome> =>
  traces.spans && live.stored.agent !== DIRECT_AGENT ? traces.run(segmentOf(live), work) : work();

const segmentOf = (live: LiveRun): TracedRun => ({
  runId: live.runId,
  threadId: live.stored.threadId,
  agent: live.stored.agent,
  parentRunId: live.stored.parentRunId,
  usage: () => live.spent().usage,
});

import { RunSuspended } from '../contracts/errors/run-suspended.js';
import type { RunEvent } from '../contracts/run.events.js';
import type { RunHandle, RunOutcome } from '../contracts/run.js';
import type { RunStatus } from '../contracts/statuses.js';
import type { RunFeed } from './run.feed.js';

/** What a caller holds of a run it started or resumed. */
export class RunTicket implements RunHandle {
  constructor(
    readonly runId: string,
    readonly threadId: string,
    readonly started: Promise<{ readonly firstSeq: number }>,
    private readonly ending: () => Promise<RunOutcome>,
    private readonly feed: RunFeed,
    private readonly cancelling: (reason?: string) => Promise<RunStatus>,
  ) {
    // Whoever wants to know asks; a refusal nobody asks about must not end the process.
    started.catch(() => undefined);
  }

  get outcome(): Promise<RunOutcome> {
    return this.ending();
  }

  get events(): AsyncIterable<RunEvent> {
    return this.follow();
  }

  async result(): Promise<unknown> {
    const outcome = await this.outcome;
    if (outcome.status === 'completed') return outcome.output;
    if (outcome.status === 'suspended') {
      const approvalIds = outcome.approvals.map(({ id }) => id);
      const deferredIds = outcome.deferred.map(({ operationId }) => operationId);
      throw new RunSuspended(approvalIds, deferredIds);
    }
    throw outcome.error;
  }

  cancel(reason?: string): Promise<RunStatus> {
    return this.cancelling(reason);
  }

  private async *follow(): AsyncGenerator<RunEvent, void, void> {
    const { firstSeq } = await this.started;
    for await (const { event } of this.feed.follow(this.runId, firstSeq - 1, { until: 'segment' })) yield event;
  }
}

import { Injectable } from '@nestjs/common';
import { LeaseLostError } from '../contracts/errors/lease-lost.error.js';
import { RestoredError } from '../contracts/errors/restored.error.js';
import { RunCancelledError, type CancelSource } from '../contracts/errors/run-cancelled.error.js';
import { EvidenceStore, type TerminalEntry } from '../contracts/ports/evidence.store.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import type { RunOutcome } from '../contracts/run.js';
import { endsSegment, type RunEvent } from '../contracts/run.events.js';
import { RunFeed } from './run.feed.js';
import { openOf, suspendedOutcome } from './waits.js';

const MOST_APPROVALS = 500;

/** What became of a segment that another process executes, as its stored events and its terminal record tell it. */
@Injectable()
export class ToldOutcome {
  constructor(
    private readonly feed: RunFeed,
    private readonly reader: RunReader,
    private readonly evidence: EvidenceStore,
  ) {}

  /** Resolves once the segment has ended. An output is redacted here, as clients read it. */
  async of(runId: string, firstSeq: number): Promise<RunOutcome> {
    let last: RunEvent | undefined;
    for await (const { event } of this.feed.follow(runId, firstSeq - 1, { until: 'segment' })) {
      if (endsSegment(event)) last = event;
    }
    if (last?.type === 'run.suspended') return this.suspended(runId);
    if (last?.type === 'run.finished') return this.completed(runId, last.output);
    const record = (await this.evidence.terminals({ runId, limit: 1 })).items[0];
    return record === undefined ? lost(runId) : ended(record);
  }

  private async suspended(runId: string): Promise<RunOutcome> {
    const { items } = await this.reader.approvals({ runId, status: 'pending', limit: MOST_APPROVALS });
    return suspendedOutcome(openOf({ approvals: items, deferrals: await this.reader.deferrals(runId) }));
  }

  private async completed(runId: string, output: unknown): Promise<RunOutcome> {
    const run = await this.reader.run(runId);
    const messages = run === undefined ? [] : await this.reader.messages(run.threadId);
    const said = messages.findLast((message) => message.role === 'assistant');
    return { status: 'completed', output, text: said?.role === 'assistant' ? said.text : '' };
  }
}

const ended = ({ status, stage, error, source, reason }: TerminalEntry): RunOutcome => {
  if (status === 'completed') return { status, output: undefined, text: '' };
  const cancelled = new RunCancelledError((source ?? 'requested') as CancelSource, reason ?? '');
  const thrown = status === 'cancelled' ? cancelled : restored(error ?? 'The run was interrupted.');
  return { status, stage: stage ?? 'executor', error: thrown };
};

/** A record says `Class: message`. */
const restored = (described: string): RestoredError => {
  const [, name = 'Error', message = described] = /^([\w.]+): (.*)$/s.exec(described) ?? [];
  return new RestoredError(name, message);
};

const lost = (runId: string): RunOutcome => ({
  status: 'interrupted',
  stage: 'executor',
  error: new LeaseLostError(runId),
});

import { Injectable } from '@nestjs/common';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import { asError } from '../operations/passage.js';
import type { LiveRun } from './live.run.js';
import type { DecidedEnd } from './decided.end.js';

/** The commit inspectors' word on the result about to become the run's. A refusal does not reopen the run. */
@Injectable()
export class CommitStage {
  async commit(live: LiveRun, output: unknown): Promise<DecidedEnd> {
    try {
      const verdict = await live.parts.roles.inspectors.inspectCommit(
        Object.freeze({
          runId: live.runId,
          output,
          outcome: 'return' as const,
          failedOperations: live.ledger.failedOperations,
          usage: live.ledger.usage,
          state: live.state,
        }),
      );
      if (verdict.aborted === undefined) return { status: 'completed', stage: null, output: verdict.output };
      const error = new RunAbortedError(verdict.aborted.reason, 'step_commit');
      return { status: 'aborted', stage: 'commit_inspection', error };
    } catch (thrown) {
      return { status: 'failed', stage: 'commit_inspection', error: asError(thrown) };
    }
  }
}

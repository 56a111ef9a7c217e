import { Injectable } from '@nestjs/common';
import { RunAbortedError } from '../contracts/errors/run-aborted.error.js';
import { InvalidOutputError } from '../contracts/errors/invalid-output.error.js';
import type { RunCandidate } from '../contracts/run.js';
import { asError } from '../operations/passage.js';
import type { LiveRun } from './live.run.js';
import { checkedValue } from './candidate.check.js';
import type { DecidedEnd } from './decided.end.js';

/** The commit inspectors' word on the result about to become the run's. A refusal does not reopen the run. */
@Injectable()
export class CommitStage {
  async commit(live: LiveRun, candidate: RunCandidate): Promise<DecidedEnd> {
    const raise = 'raise' in candidate ? candidate.raise : undefined;
    const output = 'raise' in candidate ? candidate.raise : candidate.value;
    try {
      const verdict = await live.parts.roles.inspectors.inspectCommit(
        Object.freeze({
          runId: live.runId,
          output,
          outcome: raise === undefined ? ('return' as const) : ('raise' as const),
          failedOperations: live.ledger.failedOperations,
          usage: live.ledger.usage,
          state: live.state,
        }),
      );
      if (verdict.aborted !== undefined) {
        const error = new RunAbortedError(verdict.aborted.reason, 'step_commit');
        return { status: 'aborted', stage: 'commit_inspection', error };
      }
      if (raise !== undefined) return { status: 'raised', stage: 'executor', error: raise };
      if (verdict.rewritten) return await this.rewritten(live, verdict.output);
      return { status: 'completed', stage: null, output: verdict.output };
    } catch (thrown) {
      return { status: 'failed', stage: 'commit_inspection', error: asError(thrown) };
    }
  }

  /** What an inspector put in the result's place must be what was asked for, too. Nobody inspects it again. */
  private async rewritten(live: LiveRun, value: unknown): Promise<DecidedEnd> {
    const checked = await checkedValue(live, value);
    if (checked.ok) return { status: 'completed', stage: null, output: checked.value };
    return { status: 'failed', stage: 'rewrite_validation', error: new InvalidOutputError(checked.problems) };
  }
}

import { InvalidOutputError } from '../contracts/errors/invalid-output.error.js';
import type { RunCandidate } from '../contracts/run.js';
import type { RunStage } from '../contracts/statuses.js';
import { checkOutput } from '../operations/output/output.pipeline.js';
import type { ValidationResult } from '../tools/schemas/argument.schema.js';
import type { LiveRun } from './live.run.js';

/** A candidate that is no result, and where it failed. */
export interface RefusedCandidate {
  readonly stage: RunStage;
  readonly error: Error;
}

/** A value as the run's output asks for it; any value where nothing is asked for. */
export const checkedValue = async ({ parts }: LiveRun, value: unknown): Promise<ValidationResult> =>
  parts.output === undefined ? { ok: true, value } : checkOutput(parts.output, value);

/** What an executor returned, against what the run's output allows. An output that was accepted in the run is not checked again. */
export const checkCandidate = async (
  live: LiveRun,
  candidate: RunCandidate,
): Promise<RunCandidate | RefusedCandidate> => {
  if (candidate === live.output) return candidate;
  if ('raise' in candidate) {
    if (live.parts.output === undefined || live.parts.output.allowRaise) return candidate;
    const cause = { cause: candidate.raise };
    return { stage: 'outcome_validation', error: new InvalidOutputError(['raise: is not allowed here'], cause) };
  }
  const checked = await checkedValue(live, candidate.value);
  if (checked.ok) return { value: checked.value };
  return { stage: 'output_validation', error: new InvalidOutputError(checked.problems) };
};

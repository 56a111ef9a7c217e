import { Injectable } from '@nestjs/common';
import type { ExternalResult } from '../contracts/deferred.call.js';
import { DeferredCallNotFoundError } from '../contracts/errors/deferred-call-not-found.error.js';
import { ExternalResultConflictError } from '../contracts/errors/external-result-conflict.error.js';
import { InvalidQueryError } from '../contracts/errors/invalid-query.error.js';
import { RunNotFoundError } from '../contracts/errors/run-not-found.error.js';
import { RunNotResumableError } from '../contracts/errors/run-not-resumable.error.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { NewAnswer, StoredDeferral } from '../contracts/ports/stored.deferral.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import type { StoredResult } from '../contracts/ports/stored.step.js';
import type { Principal } from '../contracts/principal.js';
import { contentOf } from '../failure/model.texts.js';
import { resultDigest } from '../values/digest.js';
import { Redactor } from '../values/redactor.js';
import { sanitize } from '../values/sanitizer.js';
import { PersistencePatience } from './persistence.patience.js';

/** The results that come from outside, for calls that their tools handed on. They are kept before anything goes on with them. */
@Injectable()
export class ExternalResults {
  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly redactor: Redactor,
    private readonly patience: PersistencePatience,
  ) {}

  /**
   * All or none. The same result again is a no-op.
   *
   * @throws RunNotFoundError where this person has no such run, DeferredCallNotFoundError
   * @throws ExternalResultConflictError where another result came first, RunNotResumableError where the run ended without one
   */
  async keep(runId: string, results: readonly ExternalResult[], by: Principal): Promise<void> {
    if (results.length === 0) return;
    const { outlast } = this.patience;
    const run = await outlast(() => this.reader.run(runId));
    if (run === undefined || !mayAnswer(run, by)) throw new RunNotFoundError(runId);
    const calls = await outlast(() => this.reader.deferrals(runId));
    const answers = results.map((result) => this.answer(run, calls, result, by));
    const { verdicts } = await outlast(() => this.store.answer(runId, answers));
    for (const [at, { operationId }] of answers.entries()) {
      const verdict = verdicts[at] ?? 'unknown';
      if (verdict === 'unknown') throw new DeferredCallNotFoundError(runId, operationId);
      if (verdict === 'conflict') throw new ExternalResultConflictError(operationId);
      if (verdict === 'closed') throw new RunNotResumableError(runId, ENDED);
    }
  }

  private answer(run: StoredRun, calls: readonly StoredDeferral[], given: ExternalResult, by: Principal): NewAnswer {
    const { operationId } = named(run.id, calls, given);
    return { operationId, result: this.result(given), resultDigest: digestOf(run, given), answeredBy: by.id };
  }

  /** What the model reads of it: as of any other tool's result. */
  private result({ value, error }: ExternalResult): StoredResult {
    return error === undefined
      ? { status: 'deferred', outcome: 'success', content: contentOf(value, this.redactor) }
      : { status: 'failed', outcome: 'failed', content: this.redactor.redactText(error) };
  }
}

const ENDED = 'it ended, and nobody waits for the result any more.';

/** Who runs it; of a run that nobody is known to have started, anybody of its organization. */
const mayAnswer = ({ user, organizationId }: StoredRun, by: Principal): boolean => {
  const same = organizationId === by.organizationId;
  if (user === undefined) return same;
  return user.id === by.id && (same || organizationId === undefined || by.organizationId === undefined);
};

const named = (runId: string, calls: readonly StoredDeferral[], given: ExternalResult): StoredDeferral => {
  const { operationId, toolCallId, error } = given;
  const one = (operationId === undefined) !== (toolCallId === undefined);
  const said = 'value' in given && given.value !== undefined;
  if (!one || (error === undefined ? !('value' in given) : said || typeof error !== 'string' || error.trim() === ''))
    throw new InvalidQueryError(
      'results',
      'name each call by operationId or toolCallId, with a value or an error text',
    );
  const call = calls.find((each) => each.operationId === operationId || each.toolCallId === toolCallId);
  if (call === undefined) throw new DeferredCallNotFoundError(runId, operationId ?? toolCallId ?? '');
  return call;
};

const digestOf = ({ digestKey }: StoredRun, { value, error }: ExternalResult): string =>
  resultDigest(digestKey, error === undefined ? { value: sanitize(value) } : { error: sanitize(error) });

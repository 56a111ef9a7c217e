import { Injectable } from '@nestjs/common';
import { InvalidOutputError } from '../../contracts/errors/invalid-output.error.js';
import { LimitExceededError } from '../../contracts/errors/limit-exceeded.error.js';
import { FINAL_OUTPUT } from '../../contracts/output.js';
import type { RunCandidate } from '../../contracts/run.js';
import type { RunStage } from '../../contracts/statuses.js';
import { outputCallText, outputRefusedText, outputSkippedText, skippedText } from '../../failure/model.texts.js';
import type { ValidationResult } from '../../tools/schemas/argument.schema.js';
import { newId } from '../../values/ids.js';
import type { Operation } from '../operation.js';
import { OperationFactory } from '../operation.factory.js';
import { OperationPipeline, type OperationOutcome } from '../operation.pipeline.js';
import { asError, isNobodys, type Ending, type RunEnd } from '../passage.js';
import type { RunScope } from '../run.scope.js';
import type { OutputContract } from './output.contract.js';
import { readProposal, type OutputProposal } from './output.proposal.js';

/** What an output proposal came to: a result that may win, or how it ended. */
export type OutputVerdict = { readonly candidate: RunCandidate } | { readonly ending: Ending };

type Call = Extract<OutputProposal, { kind: 'call' }>;

/** One output proposal of a model: its value, what its call gave, or the failed operation it names. Refused, it costs one output retry. */
@Injectable()
export class OutputPipeline {
  constructor(
    private readonly pipeline: OperationPipeline,
    private readonly operations: OperationFactory,
  ) {}

  async evaluate(operation: Operation, scope: RunScope, contract: OutputContract): Promise<OutputVerdict> {
    try {
      scope.fence.check();
    } catch (thrown) {
      const error = asError(thrown);
      const content = skippedText({ by: 'cancel' });
      return { ending: { ...SKIPPED, decidedBy: 'limit', content, error, ends: { error, stage: 'executor' } } };
    }
    const proposal = readProposal(operation.proposed);
    if (proposal.kind === 'call') return this.called(operation, scope, contract, proposal);
    if (proposal.kind === 'return') return this.checked(operation, scope, contract, proposal.value);
    if (proposal.kind === 'raise') return this.raised(operation, scope, contract, proposal.operationId);
    return this.invalid(operation, scope, contract, [proposal.problem]);
  }

  /** Counts a refused output; answers what ends the run where none may follow. Those of one response count once. */
  spend(
    scope: Pick<RunScope, 'ledger' | 'limits'>,
    contract: OutputContract,
    step: number,
    cause: Error,
    stage: RunStage,
  ): RunEnd | undefined {
    const allowed = contract.retries ?? scope.limits.outputRetries;
    if (scope.ledger.spendRetry(FINAL_OUTPUT, step, allowed)) return undefined;
    return { error: new LimitExceededError('outputRetries', allowed, { cause }), stage };
  }

  /** The call is an operation of its own: inspected, run once. Nobody is asked for it: the model can call it first and return what it gave. */
  private async called(operation: Operation, scope: RunScope, contract: OutputContract, call: Call) {
    const child = this.operations.proposed(call, newId(), operation.step, operation.position);
    const inside: RunScope = { ...scope, parentOperationId: operation.id, nobodyToAsk: true, settled: undefined };
    const outcome = await this.pipeline.run(child, inside);
    const last = outcome.chain.at(-1) ?? child;
    operation.starts = outcome.chain.reduce((starts, each) => starts + each.starts - each.withdrawn, 0);
    if (outcome.ends !== undefined) return ended(last, outcome.ends);
    const { result } = outcome;
    if (result?.outcome === 'success') return this.checked(operation, scope, contract, result.value);
    return this.callRefused(operation, scope, contract, outcome);
  }

  private callRefused(
    operation: Operation,
    scope: RunScope,
    contract: OutputContract,
    { chain, result }: OperationOutcome,
  ): OutputVerdict {
    const finished = chain.at(-1)?.finished;
    const rejected = result?.status === 'rejected';
    const content = result?.content ?? '';
    return this.refused(
      operation,
      scope,
      contract,
      {
        status: rejected ? 'rejected' : 'failed',
        outcome: rejected ? 'denied' : 'retry',
        decidedBy: rejected ? 'inspector' : finished?.decidedBy,
        content: rejected ? content : outputCallText(operation.id, content),
        reason: finished?.reason,
        error: result?.error,
      },
      new InvalidOutputError([`returnCall: '${result?.toolName ?? ''}' was ${result?.status ?? 'failed'}`], {
        cause: result?.error,
      }),
    );
  }

  private async checked(operation: Operation, scope: RunScope, contract: OutputContract, value: unknown) {
    const checked = await checkOutput(contract, value);
    return checked.ok
      ? { candidate: Object.freeze({ value: checked.value }) }
      : this.invalid(operation, scope, contract, checked.problems);
  }

  private raised(operation: Operation, scope: RunScope, contract: OutputContract, id: string): OutputVerdict {
    if (!contract.allowRaise) {
      return this.invalid(operation, scope, contract, ['raise: is not allowed here'], 'outcome_validation');
    }
    const failed = scope.ledger.failedOperations.find(({ request }) => request.operationId === id);
    if (failed?.exception === undefined) {
      return this.invalid(operation, scope, contract, ['raise: must be the id of an operation that failed']);
    }
    return { candidate: Object.freeze({ raise: asError(failed.exception) }) };
  }

  private invalid(
    operation: Operation,
    scope: RunScope,
    contract: OutputContract,
    problems: readonly string[],
    stage: RunStage = 'output_validation',
  ): OutputVerdict {
    const error = new InvalidOutputError(problems);
    const content = outputRefusedText(problems, operation.id);
    const ending = { status: 'failed', outcome: 'retry', decidedBy: 'admission', content, error } as const;
    return this.refused(operation, scope, contract, ending, error, stage);
  }

  private refused(
    operation: Operation,
    scope: RunScope,
    contract: OutputContract,
    ending: Ending,
    cause: Error,
    stage: RunStage = 'output_validation',
  ): OutputVerdict {
    return { ending: { ...ending, ends: this.spend(scope, contract, operation.step, cause, stage) } };
  }
}

const SKIPPED = { status: 'skipped', outcome: 'skipped' } as const;

/** What its call ended the run with, ends the output too. */
const ended = (child: Operation, ends: RunEnd): OutputVerdict => {
  if (isNobodys(ends)) {
    const content = skippedText({ by: ends.stage === 'limit' ? 'limit' : 'cancel' });
    return { ending: { ...SKIPPED, decidedBy: 'limit', content, ends } };
  }
  // Whoever comes later is held up by the call, not by the output that made it.
  const by = child.id;
  const content = outputSkippedText(by);
  return { ending: { ...SKIPPED, decidedBy: 'barrier', content, blockedBy: by, ends: { ...ends, by } } };
};

/** A value against the schema; what the schema gives out is the result. A schema that throws accepts nothing. */
export const checkOutput = async (contract: OutputContract, value: unknown): Promise<ValidationResult> => {
  try {
    return await contract.validate(value);
  } catch {
    return { ok: false, problems: ['return: could not be validated'] };
  }
};

import { Injectable } from '@nestjs/common';
import { InvalidOutputError } from '../contracts/errors/invalid-output.error.js';
import type { ProposedCall } from '../contracts/operation.js';
import { FINAL_OUTPUT } from '../contracts/output.js';
import type { ResponseFacts, RunCandidate } from '../contracts/run.js';
import { outputMissingText } from '../failure/model.texts.js';
import { OperationFactory } from '../operations/operation.factory.js';
import type { Operation } from '../operations/operation.js';
import type { OutputContract } from '../operations/output/output.contract.js';
import { OutputPipeline } from '../operations/output/output.pipeline.js';
import { looksLikeProposal } from '../operations/output/output.proposal.js';
import type { RunEnd } from '../operations/passage.js';
import type { LiveRun } from './live.run.js';
import type { LiveStep } from './live.step.js';
import { WireIds } from './wire.ids.js';

/** What one response means for the result of its run. */
@Injectable()
export class ResponseOutput {
  constructor(
    private readonly operations: OperationFactory,
    private readonly outputs: OutputPipeline,
  ) {}

  /** The operations of a response: its calls in emission order and, behind them, an output that stands in its text. */
  proposed(
    live: LiveRun,
    step: number,
    calls: readonly ProposedCall[],
    { text = '' }: ResponseFacts,
    direct: boolean,
  ): readonly Operation[] {
    const output = direct ? undefined : live.parts.output;
    const ids = new WireIds(live.messages);
    const operations = calls.map((call, at) =>
      this.operations.proposed(call, ids.take(call.toolCallId), step, at, kindOf(call, output)),
    );
    if (output?.mode !== 'native' || (calls.length > 0 && !looksLikeProposal(text))) return operations;
    return [...operations, this.operations.inText(text, step, calls.length)];
  }

  /** Once all its operations have settled: the run's result, or what the model must hear, or what ends the run. */
  settle(live: LiveRun, step: LiveStep, accepted: RunCandidate | undefined): RunEnd | undefined {
    const { output } = live.parts;
    live.output = accepted;
    if (step.operations.length > 0) return undefined;
    if (output === undefined) {
      live.output = Object.freeze({ value: step.text });
      return undefined;
    }
    step.feedback = outputMissingText(FINAL_OUTPUT);
    const missing = new InvalidOutputError([`a text instead of a call of '${FINAL_OUTPUT}'`]);
    return this.outputs.spend(scopeOf(live), output, step.step, missing, 'output_validation');
  }
}

const kindOf = ({ toolName }: ProposedCall, output: OutputContract | undefined): Operation['kind'] =>
  output?.mode === 'tool' && toolName === FINAL_OUTPUT ? 'output' : 'tool';

const scopeOf = ({ ledger, parts }: LiveRun) => ({ ledger, limits: parts.limits });

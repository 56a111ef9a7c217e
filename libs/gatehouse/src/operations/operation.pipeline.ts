import { Injectable } from '@nestjs/common';
import type { ToolCallResult } from '../contracts/operation.js';
import type { StoredApproval } from '../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../contracts/ports/stored.deferral.js';
import { AdmissionStage } from './admission.stage.js';
import { ExecutionStage } from './execution.stage.js';
import { Finisher } from './finisher.js';
import { GateStage } from './gate.stage.js';
import { HookStage } from './hook.stage.js';
import { InspectionStage } from './inspection.stage.js';
import type { Operation } from './operation.js';
import { OperationFactory } from './operation.factory.js';
import { plainArguments } from './operation.js';
import type { Ending, RunEnd, Stop } from './passage.js';
import type { RunScope } from './run.scope.js';
import { ValidationStage } from './validation.stage.js';

/** What one proposed call came to. `chain` holds the operation and whatever it was redirected to; the last one answers. */
export interface OperationOutcome {
  readonly chain: readonly Operation[];
  readonly result?: ToolCallResult;
  readonly waiting?: StoredApproval;
  readonly deferred?: StoredDeferral;
  readonly ends?: RunEnd;
}

/** One operation, in order: the whole pipeline is read here, top to bottom. */
@Injectable()
export class OperationPipeline {
  constructor(
    private readonly admission: AdmissionStage,
    private readonly validation: ValidationStage,
    private readonly hooks: HookStage,
    private readonly inspection: InspectionStage,
    private readonly gate: GateStage,
    private readonly execution: ExecutionStage,
    private readonly finisher: Finisher,
    private readonly operations: OperationFactory,
  ) {}

  async run(proposed: Operation, scope: RunScope): Promise<OperationOutcome> {
    const chain = [proposed];
    for (let operation = proposed; ;) {
      const stop = await this.pass(operation, scope);
      if ('waiting' in stop) return { chain, waiting: stop.waiting };
      if ('deferred' in stop) return { chain, deferred: stop.deferred };
      const ends = await this.finisher.finish(operation, scope, stop.ending);
      if (ends !== undefined || stop.ending.redirect === undefined) return this.settled(chain, scope, ends);
      operation = this.redirected(operation, stop.ending.redirect);
      chain.push(operation);
    }
  }

  /** Ends an operation without running it: blocked, denied, expired, cancelled. */
  async conclude(operation: Operation, scope: RunScope, ending: Ending): Promise<OperationOutcome> {
    const ends = await this.finisher.finish(operation, scope, ending);
    return this.settled([operation], scope, ends);
  }

  /** Tells the listeners how an operation ended that was ended without telling them. */
  tell(operation: Operation, scope: Pick<RunScope, 'roles'>): Promise<RunEnd | undefined> {
    return this.finisher.tell(operation, scope);
  }

  private async pass(operation: Operation, scope: RunScope): Promise<Stop> {
    return (
      this.admission.admit(operation, scope) ??
      (await this.validation.validate(operation, scope)) ??
      (scope.roles.hooks.hasBefore ? await this.hooks.before(operation, scope) : undefined) ??
      (await this.inspection.inspect(operation, scope)) ??
      (await this.gate.pass(operation, scope)) ??
      (await this.execution.execute(operation, scope))
    );
  }

  private settled(chain: readonly Operation[], scope: RunScope, ends: RunEnd | undefined): OperationOutcome {
    const [first] = chain;
    const result = chain.at(-1)?.result;
    if (first !== undefined && result !== undefined) scope.settled?.(first, result);
    return { chain, result, ends };
  }

  private redirected(from: Operation, to: NonNullable<Ending['redirect']>): Operation {
    const args = to.args ?? plainArguments(from.arguments?.receivedText ?? '{}');
    const next = this.operations.linked(from, to.tool ?? from.toolName, args);
    return next;
  }
}

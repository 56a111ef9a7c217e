import { Injectable } from '@nestjs/common';
import { ApprovalVoidError } from '../contracts/errors/approval-void.error.js';
import { GateStage } from './gate.stage.js';
import type { Operation } from './operation.js';
import { end, type Stop } from './passage.js';
import type { RunScope } from './run.scope.js';
import { validatedText } from '../tools/validated.text.js';
import { bind, opened } from './validation.stage.js';

/** An approval that does not cover what is about to run is void, and asked once more; a second time the call fails. */
@Injectable()
export class ApprovalRenewal {
  constructor(private readonly gate: GateStage) {}

  async again(operation: Operation, scope: RunScope, because: { readonly args?: unknown } = {}): Promise<Stop> {
    if (operation.approval !== undefined) {
      if (operation.voided > 0) return spent(operation);
      operation.voided += 1;
      operation.approval = undefined;
    }
    if ('args' in because) {
      const { tool, call } = opened(operation);
      operation.arguments = bind(tool, scope.digestKey, validatedText(because.args), because.args);
      call.args = because.args;
    }
    return this.gate.ask(operation, scope);
  }
}

const spent = (operation: Operation): Stop =>
  end({
    status: 'failed',
    outcome: 'failed',
    decidedBy: 'approval',
    content: 'The call changed after it was approved, twice. It was not started.',
    reason: 'the approval became void twice',
    error: new ApprovalVoidError(operation.id, 'the arguments changed again after it was approved'),
  });

import { Injectable } from '@nestjs/common';
import { bind } from './bound.arguments.js';
import { GateStage } from './gate.stage.js';
import type { Operation } from './operation.js';
import type { Stop } from './passage.js';
import type { RunScope } from './run.scope.js';
import { validatedText } from '../tools/validated.text.js';
import { opened } from './validation.stage.js';

/** An approval that does not cover what is about to run is void, and asked once more; a second time the call fails. */
@Injectable()
export class ApprovalRenewal {
  constructor(private readonly gate: GateStage) {}

  async again(operation: Operation, scope: RunScope, because: { readonly args?: unknown } = {}): Promise<Stop> {
    operation.voidApproval();
    if ('args' in because) {
      const { tool, call } = opened(operation);
      operation.arguments = bind(tool, scope.digestKey, validatedText(because.args), because.args);
      call.args = because.args;
    }
    return this.gate.ask(operation, scope);
  }
}

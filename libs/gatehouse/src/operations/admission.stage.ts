import { Injectable } from '@nestjs/common';
import { UnknownToolError } from '../contracts/errors/unknown-tool.error.js';
import { asError, end, type Ending, type Passage } from './passage.js';
import { skippedText, unknownToolText } from '../failure/model.texts.js';
import { FINAL_OUTPUT } from '../contracts/output.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import { OperationCall } from './operation.call.js';
import type { Operation } from './operation.js';
import type { RunScope } from './run.scope.js';

/** Step 2: may this run start anything still, is there room, does the tool exist and is it offered here. */
@Injectable()
export class AdmissionStage {
  constructor(private readonly tools: ToolRegistry) {}

  admit(operation: Operation, scope: RunScope): Passage {
    const stopped = this.stopped(operation, scope);
    if (stopped !== undefined) return stopped;
    operation.call ??= new OperationCall(operation.toolName, operation.id, operation.toolCallId, scope);
    const offered = scope.offered?.has(operation.toolName) ?? true;
    operation.tool = offered ? this.tools.registered(operation.toolName) : undefined;
    return operation.tool === undefined ? this.unknown(operation, scope) : undefined;
  }

  private stopped(operation: Operation, scope: RunScope): Passage {
    try {
      scope.fence.check();
    } catch (error) {
      return end(stopped(asError(error), 'executor'));
    }
    // What waited was counted when it was proposed.
    if (operation.mustBeApproved) return undefined;
    const full = scope.shared.full('toolCalls');
    if (full !== undefined) return end(stopped(full, 'limit'));
    scope.shared.use('toolCalls');
    scope.ledger.use({ toolCalls: 1 });
    return undefined;
  }

  private unknown(operation: Operation, scope: RunScope): Passage {
    const tools = scope.offered === undefined ? this.tools.list().map((tool) => tool.name) : [...scope.offered];
    const names = scope.output?.mode === 'tool' ? [...tools, FINAL_OUTPUT] : tools;
    const content = unknownToolText(operation.toolName, names, operation.id);
    const error = new UnknownToolError(operation.toolName, names);
    return end({ status: 'failed', outcome: 'failed', decidedBy: 'admission', content, error });
  }
}

const stopped = (error: Error, stage: 'limit' | 'executor'): Ending => ({
  status: 'skipped',
  outcome: 'skipped',
  decidedBy: 'limit',
  content: skippedText({ by: stage === 'limit' ? 'limit' : 'cancel' }),
  error,
  ends: { error, stage },
});

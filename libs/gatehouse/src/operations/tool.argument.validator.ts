import { Injectable } from '@nestjs/common';
import { shownArguments } from '../approvals/approval.draft.js';
import type { JsonObject, JsonValue } from '../contracts/json.js';
import { ArgumentValidator, type EditedCall } from '../contracts/ports/argument.validator.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import type { RegisteredTool } from '../tools/registered.tool.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import { checkArguments } from '../values/argument-text.js';
import { NEVER_ABORTED } from '../values/never.aborted.js';
import { Redactor } from '../values/redactor.js';
import { bind, type BoundArguments } from './bound.arguments.js';
import { OperationCall } from './operation.call.js';
import { pipeProblem, type Phase } from './validation.stage.js';

/** Edited arguments pass the same rules, the same schema and the same pipes as a model's, and are bound to the tool as it is now. */
@Injectable()
export class ToolArgumentValidator extends ArgumentValidator {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly redactor: Redactor,
    private readonly reader: RunReader,
  ) {
    super();
  }

  override async validateEdit(call: EditedCall, edited: JsonObject) {
    const tool = this.tools.registered(call.toolName);
    if (tool === undefined) return refused('the tool does not exist any more');
    const checked = checkArguments(edited);
    if (!checked.ok) return refused(checked.problem);
    const passed = await this.passed(tool, call, checked);
    if ('problems' in passed) return refused(...passed.problems);
    const { receivedText: received, text, digest: argumentsDigest } = passed;
    return {
      ok: true as const,
      edited: { received, validated: text, argumentsDigest, ...shownArguments(text, this.redactor) },
    };
  }

  private async passed(
    tool: RegisteredTool,
    call: EditedCall,
    { value, canonical }: { readonly value: JsonValue; readonly canonical: string },
  ): Promise<BoundArguments | { readonly problems: readonly string[] }> {
    const proposed = await this.callOf(call);
    let phase: Phase = 'schema';
    try {
      const validated = await tool.validate(value);
      if (!validated.ok) return validated;
      const { pipe } = await tool.open(proposed);
      phase = 'pipes';
      const piped = pipe === undefined ? validated.value : await pipe(validated.value);
      return bind(tool, call.digestKey, canonical, piped);
    } catch (thrown) {
      return { problems: [pipeProblem(thrown, phase)] };
    }
  }

  /** The call as its run makes it once more, for whatever is made for one call only. What is done to its state goes nowhere. */
  private async callOf(call: EditedCall): Promise<OperationCall> {
    const { runId, threadId, organizationId } = call;
    const run = await this.reader.run(runId);
    const state = structuredClone(run?.state ?? {}) as Record<string, JsonValue>;
    const { user, ipAddress } = run ?? {};
    const scope = { runId, threadId, user, organizationId, ipAddress, state, signal: NEVER_ABORTED };
    return new OperationCall(call.toolName, call.operationId, call.toolCallId, scope);
  }
}

const refused = (...problems: readonly string[]) => ({ ok: false as const, problems });

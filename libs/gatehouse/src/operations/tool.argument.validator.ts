import { Injectable } from '@nestjs/common';
import { shownArguments } from '../approvals/approval.draft.js';
import type { JsonObject } from '../contracts/json.js';
import { ArgumentValidator } from '../contracts/ports/argument.validator.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import { checkArguments } from '../values/argument-text.js';
import { Redactor } from '../values/redactor.js';
import { bind } from './bound.arguments.js';

/** Edited arguments pass the same rules and the same schema as a model's, and are bound to the tool as it is now. */
@Injectable()
export class ToolArgumentValidator extends ArgumentValidator {
  constructor(
    private readonly tools: ToolRegistry,
    private readonly redactor: Redactor,
  ) {
    super();
  }

  override async validateEdit(...[toolName, edited, digestKey]: Parameters<ArgumentValidator['validateEdit']>) {
    const tool = this.tools.registered(toolName);
    if (tool === undefined) return refused('the tool does not exist any more');
    const checked = checkArguments(edited satisfies JsonObject);
    if (!checked.ok) return refused(checked.problem);
    const validated = await tool.validate(checked.value);
    if (!validated.ok) return refused(...validated.problems);
    const {
      receivedText: received,
      text,
      digest: argumentsDigest,
    } = bind(tool, digestKey, checked.canonical, validated.value);
    return {
      ok: true as const,
      edited: { received, validated: text, argumentsDigest, ...shownArguments(text, this.redactor) },
    };
  }
}

const refused = (...problems: readonly string[]) => ({ ok: false as const, problems });

import { Injectable } from '@nestjs/common';
import { DestructiveTool, Tool, type ToolCall } from 'nest-gatehouse';
import { z } from 'zod';

/** The seeds' default failure. */
export class ValueError extends Error {
  override readonly name = 'ValueError';
}

const numbered = z.strictObject({ n: z.number().int().optional() });
export type Numbered = z.infer<typeof numbered>;

/** What a tool does in one test. */
export type Body = (args: Numbered, call: ToolCall) => unknown;

/** What ran, in order, and what the tools do when a test wants something else than their usual. */
@Injectable()
export class Stage {
  readonly ran: string[] = [];
  readonly bodies: Partial<Record<'lookup' | 'boom' | 'once' | 'drop', Body>> = {};
}

/** `lookup` finds, `boom` throws, `once` never may ask twice, `drop` is destructive. */
@Injectable()
export class StagedTools {
  constructor(private readonly stage: Stage) {}

  @Tool({ description: 'Finds', parameters: numbered })
  lookup(args: Numbered, call: ToolCall): unknown {
    return this.act('lookup', args, call, () => 'found');
  }

  @Tool({ description: 'Fails', parameters: numbered })
  boom(args: Numbered, call: ToolCall): unknown {
    return this.act('boom', args, call, () => {
      throw new ValueError('kaboom');
    });
  }

  @Tool({ description: 'May never ask again', parameters: numbered, retries: 0 })
  once(args: Numbered, call: ToolCall): unknown {
    return this.act('once', args, call, () => 'once');
  }

  @DestructiveTool({ description: 'Drops', parameters: numbered })
  drop(args: Numbered, call: ToolCall): unknown {
    return this.act('drop', args, call, () => 'dropped');
  }

  private act(name: keyof Stage['bodies'], args: Numbered, call: ToolCall, usual: () => unknown): unknown {
    this.stage.ran.push(`${name} ${JSON.stringify(args)}`);
    const body = this.stage.bodies[name];
    return body === undefined ? usual() : body(args, call);
  }
}

/** What every test of audit, failures and ordering boots. */
export const STAGED = [Stage, StagedTools] as const;

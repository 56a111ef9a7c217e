import { Injectable, type Provider } from '@nestjs/common';
import {
  Agent,
  DestructiveTool,
  RequireApproval,
  Tool,
  ToolCall,
  type Principal,
  type RunCandidate,
  type RunContext,
} from 'nest-gatehouse';
import { call, type ExecutorLine } from 'nest-gatehouse/testing';
import { z } from 'zod';
import { ANN, type GovernedApp } from '../../support/governed/governed.app.js';

export const BOSS: Principal = { id: 'boss', organizationId: 'acme', roles: ['boss'] };
export const CHIEF: Principal = { id: 'chief', organizationId: 'acme', roles: ['boss'] };

const N = z.object({ n: z.number() });

/** `send` is free, `erase` waits for whoever asked, `close` for two bosses. */
@Injectable()
export class PlainTools {
  readonly ran: string[] = [];
  readonly calls: ToolCall[] = [];
  /** What happens while `erase` runs. */
  during: () => unknown = () => undefined;

  @Tool({ description: 'Sends a mail', parameters: N })
  send({ n }: z.infer<typeof N>): string {
    this.ran.push(`send ${n}`);
    return `sent ${n}`;
  }

  @DestructiveTool({ description: 'Erases a file', parameters: N })
  @RequireApproval({ editable: ['n'] })
  async erase({ n }: z.infer<typeof N>, tool: ToolCall): Promise<string> {
    this.ran.push(`erase ${n}`);
    this.calls.push(tool);
    await this.during();
    return `erased ${n}`;
  }

  @DestructiveTool({ description: 'Closes the account', parameters: N })
  @RequireApproval({ approvers: { roles: ['boss'], quorum: 2 } })
  close({ n }: z.infer<typeof N>): string {
    this.ran.push(`close ${n}`);
    return `closed ${n}`;
  }
}

/** Proposes what its user says, `tool n`; once that is answered, says what came of it. Named, so that any process resumes it. */
@Agent({ name: 'plain' })
export class PlainAgent {
  async execute(run: RunContext): Promise<RunCandidate> {
    const [message] = run.messages;
    const [toolName = '', n] = message?.role === 'user' ? message.text.split(' ') : [];
    const results = run.resumed ?? (await run.callBatch([{ toolName, args: { n: Number(n) } }]));
    return { value: results[0]?.content };
  }
}

export const PLAIN: Provider[] = [PlainTools, PlainAgent];

export const erase = (n: number, id?: string) => call('erase', { n }, id ?? `e${n}`);
export const send = (n: number) => call('send', { n }, `s${n}`);

/** The approvals of a run, oldest first. */
export const asked = async (app: GovernedApp, runId: string) =>
  (await app.approvals.list({ runId })).items.toReversed();

/** One word on each waiting approval, in order, together. */
export async function answer(app: GovernedApp, runId: string, ...words: readonly boolean[]) {
  const waiting = (await asked(app, runId)).filter(({ status }) => status === 'pending');
  return app.resumed(
    runId,
    words.map((approved, at) => ({ approvalId: waiting[at]?.id ?? '', approved })),
  );
}

/** Plays a script, and answers what waits. */
export async function playAndAnswer(app: GovernedApp, lines: readonly ExecutorLine[], ...words: readonly boolean[]) {
  const told = await app.play(lines, { user: ANN });
  const { outcome } = await answer(app, told.handle.runId, ...words);
  return { ...told, outcome, runId: told.handle.runId };
}

import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  Agent,
  DestructiveTool,
  RequireApproval,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
  type ToolCall,
} from 'nest-gatehouse';
import { z } from 'zod';

import type { GovernedApp } from '../../support/governed/governed.app.js';

const NOTHING = z.object({});

/** Gated tools that remember for which run they were started. */
@Injectable()
export class Racing {
  readonly started: string[] = [];

  @DestructiveTool({ description: 'One person decides', parameters: NOTHING })
  pay(_: object, { runId }: ToolCall): string {
    this.started.push(runId);
    return 'paid';
  }

  @DestructiveTool({ description: 'Two people decide', parameters: NOTHING })
  @RequireApproval({ approvers: { roles: ['approver'], quorum: 2 } })
  transfer(_: object, { runId }: ToolCall): string {
    this.started.push(runId);
    return 'transferred';
  }
}

/** Calls the tool its user names; says hello where the user names none. Named, so that any process resumes it. */
@Agent({ name: 'racer' })
export class Racer implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const [asked] = run.messages;
    const toolName = asked?.role === 'user' ? asked.text : '';
    if (toolName === 'hello') return { value: 'hello' };
    const results = run.resumed ?? (await run.callBatch([{ toolName, args: {} }]));
    return { value: results[0]?.content };
  }
}

/** Looks again until it is there; throws after ten seconds: nothing may hang. */
export async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error('It never came.');
    await pause(5);
  }
}

/** The status of a run's one terminal record, once it is there. */
export const endOf = (app: GovernedApp, runId: string): Promise<string> =>
  eventually(async () => {
    const { items } = await app.trail.terminals({ runId });
    if (items.length > 1) throw new Error(`Run ${runId} has ${items.length} terminal records.`);
    return items[0]?.status;
  });

/** Starts both, the first one first in even rounds, so that each gets its chance. */
export const both = <A, B>(round: number, a: () => Promise<A>, b: () => Promise<B>) =>
  round % 2 === 0
    ? Promise.allSettled([a(), b()])
    : Promise.allSettled([b(), a()]).then(([second, first]) => [first, second] as const);

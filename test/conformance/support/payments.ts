import { Injectable } from '@nestjs/common';
import { Agent, DestructiveTool, type RunCandidate, type RunContext, type RunExecutor } from 'nest-gatehouse';
import { z } from 'zod';

/** One gated tool, and what it really did. */
@Injectable()
export class Payments {
  readonly done: string[] = [];

  @DestructiveTool({ description: 'Pays', parameters: z.object({ amount: z.number() }) })
  pay({ amount }: { amount: number }): string {
    this.done.push(`pay ${amount}`);
    return `paid ${amount}`;
  }
}

/** Proposes one payment of 5; once it is answered, says what came of it. Named, so that any process resumes it. */
@Agent({ name: 'pays-once' })
export class PaysOnce implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const results = run.resumed ?? (await run.callBatch([{ toolName: 'pay', args: { amount: 5 } }]));
    return { value: results[0]?.content };
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool } from 'pg';
import {
  Agent,
  DestructiveTool,
  RequireApproval,
  Tool,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
} from 'nest-gatehouse';
import { z } from 'zod';

/** Counts what ran in a table that Gatehouse knows nothing of. */
@Injectable()
export class Counter implements OnApplicationShutdown {
  private readonly pool = new Pool({ connectionString: process.env['CHAOS_DATABASE'], max: 4 });

  @DestructiveTool({
    name: 'count',
    description: 'Counts',
    parameters: z.object({ n: z.number().int(), amount: z.number().int() }),
  })
  @RequireApproval({ approvers: { roles: ['approver'] }, editable: ['amount'] })
  async count({ n, amount }: { n: number; amount: number }): Promise<string> {
    // Long enough on both sides of the effect for a kill to land there.
    await pause(n % 23);
    await this.pool.query('insert into chaos_count (n, amount, pid) values ($1, $2, $3)', [n, amount, process.pid]);
    await pause(n % 17);
    return `counted ${n}`;
  }

  /** Waits for nobody, beside a call that does. */
  @Tool({ name: 'note', description: 'Notes', parameters: z.object({ n: z.number().int() }) })
  async note({ n }: { n: number }): Promise<string> {
    await pause(n % 19);
    await this.pool.query('insert into chaos_note (n, pid) values ($1, $2)', [n, process.pid]);
    await pause(n % 29);
    return `noted ${n}`;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.end();
  }
}

/** Proposes the call that its last message asks for, `<n> <amount>`; two times in three with a call beside it that waits for nobody. */
@Agent({ name: 'counting', default: true })
export class CountingAgent implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    if (run.resumed !== undefined) return { value: run.resumed[0]?.content };
    const asked = run.messages.findLast((message) => message.role === 'user');
    const [n = 0, amount = 0] = asked?.role === 'user' ? asked.text.split(' ').map(Number) : [];
    const count = { toolName: 'count', args: { n, amount } };
    const note = { toolName: 'note', args: { n } };
    const results = await run.callBatch([[count], [count, note], [note, count]][n % 3] ?? []);
    return { value: results[0]?.content };
  }
}

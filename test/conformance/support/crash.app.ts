import { Injectable } from '@nestjs/common';
import { Client } from 'pg';
import { Agent, DestructiveTool, type RunCandidate, type RunContext, type RunExecutor } from 'nest-gatehouse';
import { z } from 'zod';

import type { GovernedApp } from '../../support/governed/governed.app.js';
import { bootOnUrl } from '../../support/governed/stores.js';

/** Ends this process as a power cut would. */
export function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL');
  return new Promise(() => undefined);
}

@Injectable()
export class DatabaseUrl {
  value = '';
}

/** Does something in the world that outlives the process: a row in `effect`. */
@Injectable()
export class Effects {
  /** What happens right after the effect. */
  after: () => Promise<void> = async () => undefined;

  constructor(private readonly url: DatabaseUrl) {}

  @DestructiveTool({ description: 'Does something in the world', parameters: z.object({ order: z.number() }) })
  async act({ order }: { order: number }): Promise<string> {
    const client = new Client({ connectionString: this.url.value });
    await client.connect();
    await client.query('insert into effect values ($1)', [order]);
    await client.end();
    await this.after();
    return 'acted';
  }
}

/** Says a word, proposes one gated call, ends with what came of it. Named, so that any process resumes it. */
@Agent({ name: 'actor' })
export class Actor implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    if (run.resumed !== undefined) return { value: run.resumed[0]?.content };
    run.emit({ type: 'text.start', messageId: 'm' });
    run.emit({ type: 'text.delta', messageId: 'm', delta: 'I will.' });
    run.emit({ type: 'text.end', messageId: 'm' });
    const [result] = await run.callBatch([{ toolName: 'act', args: { order: 7 } }], {
      text: 'I will.',
      messageId: 'm',
    });
    return { value: result?.content };
  }
}

/** An application on this database whose runs may be lost. */
export const actorOn = (url: string): Promise<GovernedApp> =>
  bootOnUrl(url, {
    providers: [Effects, Actor, { provide: DatabaseUrl, useValue: Object.assign(new DatabaseUrl(), { value: url }) }],
  });

import { Injectable } from '@nestjs/common';
import { Agent, RunFeed, Tool, type RunCandidate, type RunContext, type ThreadMessage } from 'nest-gatehouse';
import { z } from 'zod';

import { providerProblems } from '../approvals/strict.provider.js';
import { inside } from '../conformance/support/inside.js';
import { sqlOn } from '../conformance/support/sql.js';
import { freshDatabase } from '../support/postgres.js';
import { ANN } from '../support/governed/governed.app.js';
import { bootOnUrl, migratedTemplate } from '../support/governed/stores.js';

@Injectable()
class Notes {
  @Tool({ description: 'Notes', parameters: z.object({ n: z.number() }) })
  note({ n }: { n: number }): string {
    return `noted ${n}`;
  }
}

/** Has its calls made, and never comes back from thinking about them. */
@Agent({ name: 'dreamer' })
class Dreamer {
  dreams: () => void = () => undefined;
  readonly dreaming = new Promise<void>((resolve) => (this.dreams = resolve));
  wake: () => void = () => undefined;
  private readonly woken = new Promise<void>((resolve) => (this.wake = resolve));

  async execute(run: RunContext): Promise<RunCandidate> {
    await run.callBatch([
      { toolName: 'note', args: { n: 1 } },
      { toolName: 'note', args: { n: 2 } },
    ]);
    this.dreams();
    await this.woken;
    return { value: 'late' };
  }
}

it('a process lost after its calls had settled leaves each message of the thread once, for the next run to read', async () => {
  const database = await freshDatabase(await migratedTemplate());
  const start = () =>
    bootOnUrl(database.url, { providers: [Notes, Dreamer], options: { runs: { lease: '60s', grace: 50 } } });
  const [home, other] = [await start(), await start()];
  const { runId, outcome } = home.runner.start({ agent: 'dreamer', input: 'go', user: ANN });
  outcome.catch(() => undefined);
  await home.module.get(Dreamer).dreaming;
  await sqlOn(database.url, `update gatehouse.agent_run set lease_until = now() - interval '1 second'`);
  await inside<{ sweep(): Promise<void> }>(other.module, 'RunSweeper').sweep();
  const results: string[] = [];
  for await (const { event } of other.module
    .get(RunFeed)
    .follow(runId, 0, { until: 'run', signal: AbortSignal.timeout(15_000) })) {
    if (event.type === 'tool.result') results.push(event.content);
  }
  expect(results.toSorted()).toEqual(['noted 1', 'noted 2']);
  const rows = await sqlOn<{ body: string }>(
    database.url,
    'select body from gatehouse.thread_message order by position',
  );
  const messages = rows.map(({ body }) => (JSON.parse(body) as [number, ThreadMessage])[1]);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  expect(providerProblems(messages)).toEqual([]);
  home.module.get(Dreamer).wake();
  await Promise.all([home.close(), other.close()]);
  await database.drop();
});

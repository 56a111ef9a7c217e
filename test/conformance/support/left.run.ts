import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail, RunFeed, type GatehouseModuleOptions, type RunContext } from 'nest-gatehouse';

import { agentOn } from '../../ai-sdk/support/agents.js';
import { runIdOf } from '../../e2e/support/client.js';
import { DeskAgent, openDesk, type Desk } from '../../e2e/support/desk.app.js';
import { RecordingLogger } from '../../e2e/support/recording.logger.js';
import { freshDatabase } from '../../support/postgres.js';
import { migratedTemplate, type Store } from '../../support/governed/stores.js';

const AUDIT = { loggers: [RecordingLogger] };

/** A desk on a database that somebody else made, and drops. */
export const deskAt = (url: string, options: GatehouseModuleOptions = {}): Promise<Desk> =>
  openDesk({ audit: AUDIT, persistence: {}, ...options }, [
    TypeOrmModule.forRoot({ type: 'postgres', url, autoLoadEntities: true, retryAttempts: 0 }),
  ]);

/** A desk that keeps its execution records, on Postgres or in memory. */
export async function deskOn(store: Store, options: GatehouseModuleOptions = {}): Promise<Desk> {
  if (store === 'memory') return openDesk({ audit: AUDIT, ...options });
  const database = await freshDatabase(await migratedTemplate());
  const desk = await deskAt(database.url, options);
  const close = async () => {
    await desk.close();
    await database.drop();
  };
  return { ...desk, close };
}

/** The desk's agent asks this model; what its run threw is `threw`. */
export function asking(desk: Desk, model: unknown): { threw: unknown } {
  const seen: { threw: unknown } = { threw: undefined };
  const agent = agentOn(model);
  const execute = async (run: RunContext) => {
    try {
      return await agent.execute(run);
    } catch (error) {
      seen.threw = error;
      throw error;
    }
  };
  desk.get(DeskAgent).script = { requests: [], results: [], execute };
  return seen;
}

/** Our id of the run of a request, once it has said its last word. */
export async function endOf(desk: Desk, input: Record<string, unknown>): Promise<string> {
  const runId = await runIdOf(desk, input);
  const signal = AbortSignal.timeout(10_000);
  for await (const _frame of desk.get(RunFeed).follow(runId, 0, { until: 'run', signal }));
  signal.throwIfAborted();
  return runId;
}

/** `status error` of the terminal records. */
export const terminalsOf = async (desk: Desk, runId: string): Promise<string[]> =>
  (await desk.get(AuditTrail).terminals({ runId })).items.map(({ status, source }) => `${status} ${source}`);

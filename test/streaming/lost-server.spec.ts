import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditTrail } from 'nest-gatehouse';
import { eventsOf } from 'nest-gatehouse/testing';

import { ServerProcess } from '../chaos/server.process.js';
import { ANN, asks, eventsIn, get, headersOf, statusOf } from '../e2e/support/client.js';
import { openDesk, type Desk } from '../e2e/support/desk.app.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';

const LEASE = 2_000;

/** Notes the ids of what arrives until the connection breaks. */
async function readAll(response: Response, seen: number[]): Promise<void> {
  try {
    for await (const { id, data } of eventsOf(response, 60_000)) if (data !== undefined) seen.push(Number(id));
  } catch {
    // It broke.
  }
}

describe('a server process that is gone', () => {
  let database: FreshDatabase;
  let lost: ServerProcess;
  let survivor: Desk;
  beforeEach(async () => {
    database = await freshDatabase();
    survivor = await openDesk({ persistence: {}, runs: { lease: LEASE } }, [
      TypeOrmModule.forRoot({ type: 'postgres', url: database.url, autoLoadEntities: true, extra: { max: 4 } }),
    ]);
    lost = new ServerProcess('lost', database.url, 'test/streaming/support/speaking.program.ts');
    await lost.start();
  }, 90_000);
  afterEach(async () => {
    await lost.kill();
    await survivor.close();
    await database.drop();
  });

  /** A run of the process that will be gone, whose client has heard it speak. */
  const speaking = async () => {
    const response = await fetch(`${lost.url}/agent/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf(ANN) },
      body: JSON.stringify(asks('go')),
    });
    return { response, runId: response.headers.get('gatehouse-run-id') ?? '' };
  };

  const terminals = async (runId: string): Promise<string[]> =>
    (await survivor.get(AuditTrail).terminals({ runId })).items.map(({ status, source }) => `${status} ${source}`);

  it('by SIGKILL: another replica closes its runs within the lease time, and tells whoever reads them there', async () => {
    const { response, runId } = await speaking();
    const seen: number[] = [];
    const reading = readAll(response, seen);
    while (seen.length < 3) await new Promise(setImmediate);
    const watching = await get(survivor, `runs/${runId}/events?lastEventId=${seen.at(-1)}`);
    const rest = eventsIn(watching, { timeoutMs: 30_000 });
    await lost.kill();
    await reading;
    const killed = performance.now();
    const told = await rest;
    const took = performance.now() - killed;
    expect(told.map(({ event }) => event)).toMatchObject([
      { type: 'TEXT_MESSAGE_END' },
      { type: 'RUN_ERROR', code: 'interrupted' },
    ]);
    expect(told[0]?.id).toBe((seen.at(-1) ?? 0) + 1);
    expect([await statusOf(survivor, runId), await terminals(runId)]).toEqual(['interrupted', ['interrupted null']]);
    // A lease, the quarter of one between two sweeps, and what a busy machine takes.
    expect(took).toBeLessThan(LEASE * 1.25 + 5_000);
  }, 90_000);

  it('by SIGINT with an open stream: its client has the terminal event, and the process ends at the first signal (nestjs/nest#6643)', async () => {
    const { response, runId } = await speaking();
    const events = eventsIn(response, { timeoutMs: 30_000 });
    await lost.interrupt();
    expect((await events).at(-1)?.event).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
    expect(await terminals(runId)).toEqual(['cancelled shutdown']);
  }, 90_000);
});

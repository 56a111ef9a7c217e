import { jest } from '@jest/globals';
import { TypeOrmModule } from '@nestjs/typeorm';
import fc from 'fast-check';
import { migratedTemplate } from '../../support/governed/stores.js';
import { freshDatabase } from '../../support/postgres.js';
import { repeatableScripts } from './arbitrary.script.js';
import { PATIENCE, round } from './rounds.js';
import { seen } from './seen.js';
import { Theatre } from './theatre.js';

jest.setTimeout(PATIENCE);

describe('the memory store and Postgres', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let memory: Theatre;
  let postgres: Theatre;
  beforeAll(async () => {
    database = await freshDatabase(await migratedTemplate());
    memory = await Theatre.open();
    const { url } = database;
    const typeorm = TypeOrmModule.forRoot({ type: 'postgres', url, autoLoadEntities: true, retryAttempts: 0 });
    postgres = await Theatre.open({ persistence: {} }, { imports: [typeorm] });
  });
  afterAll(async () => {
    await memory.close();
    await postgres.close();
    await database.drop();
  });

  it('give the same run for the same script: events, thread, results, ledger, executions, end', () =>
    fc.assert(
      fc.asyncProperty(repeatableScripts, async (script) => {
        const [here, there] = [await memory.perform(script), await postgres.perform(script)];
        expect(seen(there)).toBe(seen(here));
      }),
      round(0.3),
    ));
});

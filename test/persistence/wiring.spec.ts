import { Module, type DynamicModule } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Clock } from '../../libs/gatehouse/src/contracts/clock.js';
import { ConfigurationError } from '../../libs/gatehouse/src/contracts/errors/configuration.error.js';
import type { PersistenceOptions } from '../../libs/gatehouse/src/contracts/options.js';
import { EvidenceStore } from '../../libs/gatehouse/src/contracts/ports/evidence.store.js';
import { RunReader } from '../../libs/gatehouse/src/contracts/ports/run.reader.js';
import { RunStore } from '../../libs/gatehouse/src/contracts/ports/run.store.js';
import { Wakeup } from '../../libs/gatehouse/src/contracts/ports/wakeup.js';
import { memoryPersistence } from '../../libs/gatehouse/src/persistence/memory/memory.persistence.js';
import { gatehouseEntities } from '../../libs/gatehouse/src/persistence/postgres/gatehouse.entities.js';
import { postgresPersistence } from '../../libs/gatehouse/src/persistence/postgres/postgres.persistence.js';
import { aRun, ME } from '../../libs/gatehouse/src/testing/contracts/store.samples.js';
import { SystemClock } from '../../libs/gatehouse/src/values/system.clock.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';

const PORTS = [RunStore, RunReader, EvidenceStore, Wakeup];

@Module({})
class Rooms {
  static with(options?: PersistenceOptions): DynamicModule {
    return { module: Rooms, ...postgresPersistence(options), exports: PORTS };
  }
}

describe('the wiring of persistence', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  const boot = (source: object, options?: PersistenceOptions) =>
    Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot({ type: 'postgres', url: database.url, retryAttempts: 0, ...source }),
        Rooms.with(options),
      ],
    }).compile();

  const useStore = async (app: Awaited<ReturnType<typeof boot>>): Promise<void> => {
    await app.init();
    const run = aRun();
    await app.get(RunStore, { strict: false }).startRun(run, [], [], ME);
    expect((await app.get(RunReader, { strict: false }).run(run.id))?.id).toBe(run.id);
    expect(await app.get(RunReader, { strict: false }).lastStep(run.id)).toBeUndefined();
    expect((await app.get(EvidenceStore, { strict: false }).executions({ runId: run.id })).items).toEqual([]);
    await app.close();
  };

  it('migrates before a store can be injected, and works again at the next boot', async () => {
    await useStore(await boot({ autoLoadEntities: true }));
    await useStore(await boot({ autoLoadEntities: true }));
  });

  it('takes a named data source and a schema of its own, beside the default one in one process', async () => {
    const app = await boot({ name: 'agents', autoLoadEntities: true }, { dataSource: 'agents', schema: 'other' });
    await useStore(app);
    await useStore(await boot({ autoLoadEntities: true }));
  });

  it('takes listed entities instead of autoLoadEntities', async () => {
    await useStore(await boot({ entities: gatehouseEntities() }));
  });

  it('says what to write where the data source does not know the entities', async () => {
    const failure: unknown = await boot({}).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigurationError);
    expect((failure as Error).message).toBe(
      "The default data source does not know Gatehouse's entities. Write autoLoadEntities: true in its TypeOrmModule.forRoot, or add " +
        '...gatehouseEntities() to its entities.',
    );
  });

  it('refuses a schema name that is none, before anything connects', () => {
    expect(() => postgresPersistence({ schema: 'no"schema' })).toThrow(ConfigurationError);
  });

  it('only checks where told so', async () => {
    await expect(boot({ autoLoadEntities: true }, { schema: 'unmade', migrations: 'check' })).rejects.toThrow(
      ConfigurationError,
    );
  });

  it('binds the same ports in memory', async () => {
    const module = await Test.createTestingModule({
      providers: [{ provide: Clock, useClass: SystemClock }, ...memoryPersistence().providers],
    }).compile();
    const run = aRun();
    await module.get(RunStore).startRun(run, [], [], ME);
    expect((await module.get(RunReader).run(run.id))?.id).toBe(run.id);
    for (const port of PORTS) expect(module.get(port)).toBeInstanceOf(port);
  });
});

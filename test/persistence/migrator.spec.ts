import { DataSource } from 'typeorm';
import { ConfigurationError } from '../../libs/gatehouse/src/contracts/errors/configuration.error.js';
import { StorageUnavailableError } from '../../libs/gatehouse/src/contracts/errors/storage-unavailable.error.js';
import { makeEntities } from '../../libs/gatehouse/src/persistence/postgres/gatehouse.entities.js';
import { GatehouseMigrator } from '../../libs/gatehouse/src/persistence/postgres/gatehouse.migrator.js';
import { gatehouseMigrations } from '../../migrations/index.js';
import { checkedSchema } from '../../migrations/schema.name.js';
import { freshDatabase, type FreshDatabase } from '../support/postgres.js';

const NAMES = [
  'GatehouseWorkingState1767225600001',
  'GatehouseEvidence1767225600002',
  'GatehouseViews1767225600003',
  'GatehouseLedger1767225600004',
];

describe('the migrator', () => {
  let database: FreshDatabase;
  let source: DataSource;
  const migrator = (schema: string): GatehouseMigrator =>
    new GatehouseMigrator({ type: 'postgres', url: database.url }, schema);
  const names = async (schema: string): Promise<string[]> =>
    (await source.query<{ name: string }[]>(`SELECT name FROM "${schema}".migrations ORDER BY id`)).map(
      ({ name }) => name,
    );

  beforeAll(async () => {
    database = await freshDatabase();
    source = await new DataSource({ type: 'postgres', url: database.url }).initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('lets five processes start at once, and runs each migration once', async () => {
    await Promise.all(Array.from({ length: 5 }, () => migrator('five').migrate('run')));
    expect(await names('five')).toEqual(NAMES);
    await migrator('five').migrate('run');
    expect(await names('five')).toEqual(NAMES);
  });

  it('only looks when told to check: no DDL, and a refusal that says what to do', async () => {
    await expect(migrator('looked').migrate('check')).rejects.toThrow(ConfigurationError);
    await expect(migrator('looked').migrate('check')).rejects.toThrow(
      `The schema 'looked' lacks 4 of 4 migrations (first: '${NAMES[0]}'). Start once with persistence.migrations 'run'`,
    );
    expect(await source.query(`SELECT FROM pg_namespace WHERE nspname = 'looked'`)).toEqual([]);
    await migrator('looked').migrate('run');
    await expect(migrator('looked').migrate('check')).resolves.toBeUndefined();
  });

  it('does nothing at all when it is off', async () => {
    const nowhere = new GatehouseMigrator({ type: 'postgres', host: '127.0.0.1', port: 1 }, 'off');
    await expect(nowhere.migrate('off')).resolves.toBeUndefined();
  });

  it('refuses a schema that is newer than the code, to run and to check', async () => {
    await migrator('newer').migrate('run');
    await source.query(`INSERT INTO newer.migrations (timestamp, name) VALUES (1900000000000, 'Later1900000000000')`);
    for (const mode of ['run', 'check'] as const) {
      await expect(migrator('newer').migrate(mode)).rejects.toThrow(ConfigurationError);
      await expect(migrator('newer').migrate(mode)).rejects.toThrow(`it knows 'Later1900000000000'`);
    }
  });

  it('leaves nothing half done where a migration fails', async () => {
    await source.query('CREATE SCHEMA half');
    await source.query('CREATE TABLE half.run_timeline (id integer)');
    const failure: unknown = await migrator('half')
      .migrate('run')
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailableError);
    expect(String(failure)).not.toMatch(/run_timeline|relation|exists/);
    expect(await source.query(`SELECT FROM pg_tables WHERE schemaname = 'half' AND tablename = 'agent_run'`)).toEqual(
      [],
    );
    await source.query('DROP TABLE half.run_timeline');
    await migrator('half').migrate('run');
    expect(await names('half')).toEqual(NAMES);
  });

  it('makes exactly what the entities describe', async () => {
    await migrator('drift').migrate('run');
    const entities = [...makeEntities('drift', true).all];
    const drifted = await new DataSource({ type: 'postgres', url: database.url, entities }).initialize();
    try {
      const { upQueries } = await drifted.driver.createSchemaBuilder().log();
      expect(upQueries.map(({ query }) => query)).toEqual([]);
      await drifted.query('ALTER TABLE drift.thread DROP COLUMN principal_id');
      expect((await drifted.driver.createSchemaBuilder().log()).upQueries).not.toEqual([]);
    } finally {
      await drifted.destroy();
    }
  });

  it("is not undone by a host's own synchronize", async () => {
    await migrator('kept').migrate('run');
    const entities = [...makeEntities('kept', false).all];
    const host = await new DataSource({
      type: 'postgres',
      url: database.url,
      entities,
      synchronize: true,
    }).initialize();
    await host.destroy();
    expect(
      await source.query(
        `SELECT indexname FROM pg_indexes WHERE indexname = 'agent_run_active_thread' AND schemaname = 'kept'`,
      ),
    ).toEqual([{ indexname: 'agent_run_active_thread' }]);
  });

  it('can be undone, newest first', async () => {
    await migrator('undone').migrate('run');
    const runner = source.createQueryRunner();
    for (const Migration of gatehouseMigrations('undone').toReversed()) await new Migration().down(runner);
    await runner.release();
    expect(await source.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'undone'`)).toEqual([
      { tablename: 'migrations' },
    ]);
  });

  it('says that the database does not answer without the words of the driver', async () => {
    const nowhere = new GatehouseMigrator(
      { type: 'postgres', host: '127.0.0.1', port: 1, username: 'secret' },
      'gatehouse',
    );
    const failure: unknown = await nowhere.migrate('run').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(StorageUnavailableError);
    expect((failure as Error).message).toBe(
      "The store could not migrate the schema 'gatehouse'. Check the database connection.",
    );
    expect((failure as Error).cause).toMatchObject({ code: 'ECONNREFUSED' });
  });
});

describe('a schema name', () => {
  it('is a plain identifier', () => {
    for (const name of ['gatehouse', '_a1', 'x'.repeat(48)]) expect(checkedSchema(name)).toBe(name);
    for (const name of ['', 'Gatehouse', '1a', 'a-b', 'a"b', 'a b', 'pg_x', 'x'.repeat(49), 'a;drop', 'ä']) {
      expect(() => checkedSchema(name)).toThrow(ConfigurationError);
    }
  });
});

import { DataSource, MigrationExecutor, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { gatehouseMigrations } from '../../../../../migrations/gatehouse.migrations.js';
import { checkedSchema } from '../../../../../migrations/schema.name.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import { GatehouseError } from '../../contracts/errors/gatehouse.error.js';
import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import type { PersistenceOptions } from '../../contracts/options.js';
import { driverError } from './driver.errors.js';

const OLDEST_SERVER = 15;
const TABLE = 'migrations';

/** Brings a schema to what this version of the package needs, or says why it is not. */
export class GatehouseMigrator {
  private readonly names: readonly string[];

  /** @param options of the host's data source; the migrator opens one connection of its own and closes it */
  constructor(
    private readonly options: DataSourceOptions,
    private readonly schema: string,
  ) {
    checkedSchema(schema);
    this.names = gatehouseMigrations(schema).map((Migration) => new Migration().name ?? '');
  }

  /**
   * `run`: makes the schema and runs what is missing; any number of processes may do so at once. `check`: only looks, no DDL, no locks.
   *
   * @throws ConfigurationError for a server that is too old, a schema that is newer than the code, and with `check` one that is older
   */
  async migrate(mode: NonNullable<PersistenceOptions['migrations']>): Promise<void> {
    if (mode === 'off') return;
    const source = new DataSource(this.ownOptions());
    try {
      await source.initialize();
      await this.with(source, source.createQueryRunner(), mode);
    } catch (error) {
      throw error instanceof GatehouseError
        ? error
        : new StorageUnavailableError(`migrate the schema '${this.schema}'`, { cause: driverError(error) });
    } finally {
      if (source.isInitialized) await source.destroy();
    }
  }

  private async with(source: DataSource, runner: QueryRunner, mode: 'run' | 'check'): Promise<void> {
    try {
      await this.refuseOldServer(runner);
      if (mode === 'check') this.refuseMissing(await this.pending(runner));
      else await this.run(source, runner);
    } finally {
      await runner.release();
    }
  }

  private async run(source: DataSource, runner: QueryRunner): Promise<void> {
    // Of the session, so that it is released with the connection, whatever happens. TypeORM itself has no lock.
    await runner.query(`SELECT pg_advisory_lock(hashtextextended($1, 0))`, [`gatehouse:migrate:${this.schema}`]);
    const pending = await this.pending(runner);
    if (pending.length === 0) return;
    await runner.query(`CREATE SCHEMA IF NOT EXISTS "${this.schema}"`);
    const executor = new MigrationExecutor(source, runner);
    executor.transaction = 'all';
    await executor.executePendingMigrations();
  }

  private async pending(runner: QueryRunner): Promise<string[]> {
    const rows = await this.executed(runner);
    const newer = rows.find((name) => !this.names.includes(name));
    if (newer !== undefined) {
      throw new ConfigurationError(
        `The schema '${this.schema}' was migrated by a newer version of nest-gatehouse (it knows '${newer}'). ` +
          `Update the package, or point persistence.schema at another schema.`,
      );
    }
    return this.names.filter((name) => !rows.includes(name));
  }

  private async executed(runner: QueryRunner): Promise<string[]> {
    const [found] = (await runner.query('SELECT to_regclass($1) IS NOT NULL AS there', [
      `"${this.schema}".${TABLE}`,
    ])) as {
      there: boolean;
    }[];
    if (found?.there !== true) return [];
    const rows = (await runner.query(`SELECT name FROM "${this.schema}".${TABLE} ORDER BY id`)) as { name: string }[];
    return rows.map(({ name }) => name);
  }

  private refuseMissing(pending: readonly string[]): void {
    if (pending.length === 0) return;
    throw new ConfigurationError(
      `The schema '${this.schema}' lacks ${pending.length} of ${this.names.length} migrations (first: '${pending[0]}'). ` +
        `Start once with persistence.migrations 'run', or run gatehouseMigrations('${this.schema}') of nest-gatehouse/migrations.`,
    );
  }

  private async refuseOldServer(runner: QueryRunner): Promise<void> {
    const [row] = (await runner.query(`SELECT current_setting('server_version_num')::integer AS version`)) as {
      version: number;
    }[];
    const major = Math.floor((row?.version ?? 0) / 10_000);
    if (major >= OLDEST_SERVER) return;
    throw new ConfigurationError(
      `Gatehouse needs PostgreSQL ${OLDEST_SERVER} or newer; this server is version ${major}.`,
    );
  }

  private ownOptions(): DataSourceOptions {
    if (this.options.type !== 'postgres') {
      throw new ConfigurationError(
        `Gatehouse's persistence needs a data source of type 'postgres', not '${this.options.type}'.`,
      );
    }
    return {
      ...this.options,
      schema: this.schema,
      entities: [],
      subscribers: [],
      migrations: gatehouseMigrations(this.schema),
      migrationsTableName: TABLE,
      migrationsRun: false,
      synchronize: false,
      dropSchema: false,
      cache: false,
      poolSize: 1,
      // Waiting for another process that migrates is no hanging query.
      extra: { ...extraOf(this.options), max: 1, statement_timeout: 0, query_timeout: 0, lock_timeout: 0 },
    };
  }
}

function extraOf(options: DataSourceOptions): object {
  const extra: unknown = options.extra;
  return typeof extra === 'object' && extra !== null ? extra : {};
}

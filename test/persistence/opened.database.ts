import { DataSource, type DataSourceOptions } from 'typeorm';
import { Database } from '../../libs/gatehouse/src/persistence/postgres/database.js';
import { gatehouseEntities } from '../../libs/gatehouse/src/persistence/postgres/gatehouse.entities.js';
import { GatehouseMigrator } from '../../libs/gatehouse/src/persistence/postgres/gatehouse.migrator.js';
import { PostgresEvidenceLog } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.log.js';
import { PostgresEvidenceStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.evidence.store.js';
import { PostgresRunReader } from '../../libs/gatehouse/src/persistence/postgres/postgres.run.reader.js';
import { PostgresRunStore } from '../../libs/gatehouse/src/persistence/postgres/postgres.run.store.js';
import type { StoreUnderTest } from '../../libs/gatehouse/src/testing/contracts/index.js';
import { freshDatabase, templateDatabase, type FreshDatabase } from '../support/postgres.js';

export type PostgresOptions = Extract<DataSourceOptions, { type: 'postgres' }>;

/** Stores over a migrated database of their own. */
export interface OpenedDatabase extends StoreUnderTest {
  readonly url: string;
  readonly source: DataSource;
  readonly database: Database;
  readonly log: PostgresEvidenceLog;
}

const options = (url: string): PostgresOptions => ({
  type: 'postgres',
  url,
  extra: { connectionTimeoutMillis: 20_000 },
});

/** A migrated database that nobody is connected to. */
export async function migratedDatabase(): Promise<FreshDatabase> {
  return freshDatabase(
    await templateDatabase('gatehouse', (url) => new GatehouseMigrator(options(url), 'gatehouse').migrate('run')),
  );
}

export async function openDatabase(changes: Partial<PostgresOptions> = {}): Promise<OpenedDatabase> {
  const fresh = await migratedDatabase();
  const source = new DataSource({
    ...options(fresh.url),
    entities: gatehouseEntities(),
    ...changes,
  });
  await source.initialize();
  const database = new Database(source, 'gatehouse');
  const log = new PostgresEvidenceLog(database);
  return {
    url: fresh.url,
    source,
    database,
    log,
    store: new PostgresRunStore(database),
    reader: new PostgresRunReader(database),
    evidence: new PostgresEvidenceStore(database, log),
    moveTime: (milliseconds) => moveTime(source, milliseconds),
    close: async () => {
      await log.close(1000);
      await source.destroy();
      await fresh.drop();
    },
  };
}

/** The database's clock cannot be moved, so what it is compared with moves. */
async function moveTime(source: DataSource, milliseconds: number): Promise<void> {
  const span = [milliseconds];
  await source.query(
    `UPDATE gatehouse.agent_run SET lease_until = lease_until - $1 * interval '1 millisecond',
      watched_until = watched_until - $1 * interval '1 millisecond', finished_at = finished_at - $1 * interval '1 millisecond'`,
    span,
  );
  await source.query(
    `UPDATE gatehouse.approval_request SET expires_at = expires_at - $1 * interval '1 millisecond', decided_at = decided_at - $1 * interval '1 millisecond',
      execute_before = execute_before - $1 * interval '1 millisecond'`,
    span,
  );
  await source.query(
    `UPDATE gatehouse.deferred_call SET answered_at = answered_at - $1 * interval '1 millisecond'`,
    span,
  );
}

import type { MigrationInterface } from 'typeorm';
import { evidenceMigration } from './evidence.migration.js';
import { ledgerMigration } from './ledger.migration.js';
import { DEFAULT_SCHEMA } from './schema.name.js';
import { viewsMigration } from './views.migration.js';
import { workingStateMigration } from './working.state.migration.js';

/**
 * Gatehouse's TypeORM migrations, oldest first, for a schema that exists. The module runs them itself (`persistence.migrations`) and keeps
 * their names in `<schema>.migrations`; hand them to a data source of your own only where that is off.
 *
 * @example
 * ```ts
 * new DataSource({ type: 'postgres', url, migrations: [...gatehouseMigrations('gatehouse'), ...yours] });
 * ```
 */
export function gatehouseMigrations(schema: string = DEFAULT_SCHEMA): (new () => MigrationInterface)[] {
  return [workingStateMigration(schema), evidenceMigration(schema), viewsMigration(schema), ledgerMigration(schema)];
}

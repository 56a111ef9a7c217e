import type { DynamicModule, Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DEFAULT_SCHEMA } from '../../../../../migrations/schema.name.js';
import type { PersistenceOptions } from '../../contracts/options.js';
import { EvidenceStore } from '../../contracts/ports/evidence.store.js';
import { NoticeStore } from '../../contracts/ports/notice.store.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { RunStore } from '../../contracts/ports/run.store.js';
import { Wakeup } from '../../contracts/ports/wakeup.js';
import { requireEntities } from './data.source.check.js';
import { Database } from './database.js';
import { gatehouseEntities } from './gatehouse.entities.js';
import { GatehouseMigrator } from './gatehouse.migrator.js';
import { PostgresEvidenceStore } from './postgres.evidence.store.js';
import { PostgresNoticeStore } from './postgres.notice.store.js';
import { PostgresRunReader } from './postgres.run.reader.js';
import { PostgresRunStore } from './postgres.run.store.js';
import { PostgresWakeup } from './postgres.wakeup.js';

/**
 * Binds the stores in the host's named data source. The schema is migrated before anything can be injected with a store.
 *
 * Errors of the boot: `ConfigurationError` for a data source that does not know our entities, is no Postgres, or whose schema does not fit.
 */
export function postgresPersistence(options: PersistenceOptions = {}): {
  readonly imports: DynamicModule[];
  readonly providers: Provider[];
  readonly exports: (typeof RunStore | typeof RunReader | typeof EvidenceStore | typeof NoticeStore | typeof Wakeup)[];
} {
  const schema = options.schema ?? DEFAULT_SCHEMA;
  const from = <T>(
    make: (database: Database) => T,
  ): { inject: [typeof Database]; useFactory: (database: Database) => T } => ({
    inject: [Database],
    useFactory: make,
  });
  return {
    imports: [TypeOrmModule.forFeature(gatehouseEntities(schema), options.dataSource)],
    providers: [
      {
        provide: Database,
        inject: [getDataSourceToken(options.dataSource)],
        useFactory: (dataSource: DataSource) => openDatabase(dataSource, schema, options),
      },
      { provide: RunStore, ...from((database) => new PostgresRunStore(database)) },
      { provide: RunReader, ...from((database) => new PostgresRunReader(database)) },
      { provide: EvidenceStore, ...from((database) => new PostgresEvidenceStore(database)) },
      { provide: NoticeStore, ...from((database) => new PostgresNoticeStore(database)) },
      { provide: Wakeup, ...from((database) => new PostgresWakeup(database.dataSource.options, schema)) },
    ],
    exports: [RunStore, RunReader, EvidenceStore, NoticeStore, Wakeup],
  };
}

async function openDatabase(dataSource: DataSource, schema: string, options: PersistenceOptions): Promise<Database> {
  requireEntities(dataSource, schema, options.dataSource);
  await new GatehouseMigrator(dataSource.options, schema).migrate(options.migrations ?? 'run');
  return new Database(dataSource, schema);
}

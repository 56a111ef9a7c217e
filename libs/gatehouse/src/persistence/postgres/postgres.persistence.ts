import type { DynamicModule, Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DEFAULT_SCHEMA } from '../../../../../migrations/schema.name.js';
import type { PersistenceOptions } from '../../contracts/options.js';
import { EvidenceLog } from '../../contracts/ports/evidence.log.js';
import { EvidenceKeeping } from '../../contracts/ports/evidence.keeping.js';
import { EvidenceStore } from '../../contracts/ports/evidence.store.js';
import { LedgerReader } from '../../contracts/ports/ledger.reader.js';
import { LogSource } from '../../contracts/ports/log.source.js';
import { NoticeStore } from '../../contracts/ports/notice.store.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { RunStore } from '../../contracts/ports/run.store.js';
import { SealStore } from '../../contracts/ports/seal.store.js';
import { Wakeup } from '../../contracts/ports/wakeup.js';
import { clientConfig } from './client.config.js';
import { requireEntities } from './data.source.check.js';
import { Database } from './database.js';
import { gatehouseEntities } from './gatehouse.entities.js';
import { GatehouseMigrator } from './gatehouse.migrator.js';
import { PostgresEvidenceLog } from './postgres.evidence.log.js';
import { PostgresEvidenceStore } from './postgres.evidence.store.js';
import { PostgresNoticeStore } from './postgres.notice.store.js';
import { PostgresRunReader } from './postgres.run.reader.js';
import { PostgresEvidenceKeeping } from './keeping/postgres.evidence.keeping.js';
import { PostgresLogSource } from './ledger/postgres.log.source.js';
import { PostgresLedgerReader } from './ledger/reading/postgres.ledger.reader.js';
import { PostgresSealStore } from './ledger/postgres.seal.store.js';
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
      { provide: EvidenceLog, ...from((database) => new PostgresEvidenceLog(database)) },
      {
        provide: EvidenceStore,
        inject: [Database, EvidenceLog],
        useFactory: (database: Database, log: EvidenceLog) => new PostgresEvidenceStore(database, log),
      },
      { provide: EvidenceKeeping, ...from((database) => new PostgresEvidenceKeeping(database)) },
      {
        provide: LedgerReader,
        ...from(({ dataSource }) => new PostgresLedgerReader(clientConfig(dataSource.options), schema)),
      },
      { provide: LogSource, ...from((database) => new PostgresLogSource(database)) },
      { provide: SealStore, ...from((database) => new PostgresSealStore(database)) },
      { provide: NoticeStore, ...from((database) => new PostgresNoticeStore(database)) },
      { provide: Wakeup, ...from((database) => new PostgresWakeup(database.dataSource.options, schema)) },
    ],
  };
}

async function openDatabase(dataSource: DataSource, schema: string, options: PersistenceOptions): Promise<Database> {
  requireEntities(dataSource, schema, options.dataSource);
  await new GatehouseMigrator(dataSource.options, schema).migrate(options.migrations ?? 'run');
  return new Database(dataSource, schema);
}

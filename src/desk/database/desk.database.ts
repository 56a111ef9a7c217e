import type { TypeOrmModuleOptions } from '@nestjs/typeorm';
import { DeskSeed1700000000001 } from './desk.seed.migration.js';
import { DeskTables1700000000000 } from './desk.tables.migration.js';

/** The one data source: the desk's tables and the library's live in the same database, in schemas of their own. */
export const deskDatabase = (url: string): TypeOrmModuleOptions => ({
  type: 'postgres',
  url,
  applicationName: 'gatehouse-desk',
  // Named, because a role called 'gatehouse' would otherwise look into the library's schema first, once it is there.
  schema: 'public',
  // The library brings its entities itself.
  autoLoadEntities: true,
  migrations: [DeskTables1700000000000, DeskSeed1700000000001],
  migrationsTableName: 'desk_migrations',
  migrationsRun: true,
  retryAttempts: 3,
  retryDelay: 1_000,
});

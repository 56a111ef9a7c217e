import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { GatehouseMigrator } from 'nest-gatehouse/typeorm';
import { freshDatabase, templateDatabase } from '../postgres.js';
import { boot, KeptRecords, type Boot, type GovernedApp } from './governed.app.js';

/** Both places where runs may live; what holds for one holds for the other. */
export const STORES = ['memory', 'postgres'] as const;
export type Store = (typeof STORES)[number];

/** The name of a template database with our schema. */
export const migratedTemplate = (): Promise<string> =>
  templateDatabase('runs', async (url) => {
    const source = new DataSource({ type: 'postgres', url });
    await new GatehouseMigrator(source.options, 'gatehouse').migrate('run');
  });

/** An application on this database, with Postgres as its only store and audit sink. */
export const bootOnUrl = (url: string, { options, imports = [], ...rest }: Boot): Promise<GovernedApp> => {
  const typeorm = TypeOrmModule.forRoot({
    type: 'postgres',
    url,
    autoLoadEntities: true,
    retryAttempts: 0,
    extra: { max: 4 },
  });
  return boot({ ...rest, imports: [...imports, typeorm], options: { persistence: {}, audit: undefined, ...options } });
};

/** The same on its own clone of the migrated database, with its records kept; closing it drops the clone. */
export async function bootOn(store: Store, request: Boot): Promise<GovernedApp> {
  if (store === 'memory') return boot(request);
  const database = await freshDatabase(await migratedTemplate());
  const app = await bootOnUrl(database.url, {
    ...request,
    options: { audit: { loggers: [KeptRecords] }, ...request.options },
  });
  const close = app.close.bind(app);
  return Object.assign(app, {
    close: async () => {
      await close();
      await database.drop();
    },
  });
}

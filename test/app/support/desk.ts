import type { NestExpressApplication } from '@nestjs/platform-express';
import { Client } from 'pg';
import type { DeskModel } from '../../../src/agent/desk.model.js';
import { scriptedDeskModel } from '../../../src/agent/scripted/scripted.desk.model.js';
import { createHttpApplication } from '../../../src/starting/http.application.js';
import { freshDatabase, templateDatabase } from '../../support/postgres.js';
import { Person } from './person.js';

/** The reference app over HTTP, on a database of its own. */
export interface Desk {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly databaseUrl: string;
  as(person: string): Person;
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export interface DeskOptions {
  readonly carrierDelayMs?: number;
  /** Default: the scripted one. */
  readonly model?: DeskModel;
}

const application = (databaseUrl: string, options: DeskOptions = {}): Promise<NestExpressApplication> =>
  createHttpApplication({ databaseUrl, model: scriptedDeskModel(), carrierDelayMs: 0, ...options }, { logger: false });

/** All migrations and the seed, as the application itself makes them at its first start. */
export const seededDatabase = async (): Promise<Awaited<ReturnType<typeof freshDatabase>>> =>
  freshDatabase(
    await templateDatabase('desk', async (url) => {
      const app = await application(url);
      await app.init();
      await app.close();
    }),
  );

export async function openDesk(options: DeskOptions = {}): Promise<Desk> {
  const database = await seededDatabase();
  const app = await application(database.url, options);
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  return Object.freeze({
    app,
    url,
    databaseUrl: database.url,
    as: (person: string) => new Person(url, person),
    query: async <Row>(sql: string, values: readonly unknown[] = []) =>
      (await client.query(sql, [...values])).rows as Row[],
    close: async () => {
      await client.end();
      await app.close();
      await database.drop();
    },
  });
}

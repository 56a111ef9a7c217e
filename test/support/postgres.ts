import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';

/** A database of one test file's own. */
export interface FreshDatabase {
  readonly url: string;
  /** Breaks its connections and deletes it. */
  drop(): Promise<void>;
}

function variable(name: 'GATEHOUSE_TEST_DATABASE_URL' | 'GATEHOUSE_TEST_RUN'): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run this file with Jest, whose global setup starts the server.`);
  return value;
}

/** The address of the server's administrator; tests make their databases with it. */
export const adminUrl = (): string => variable('GATEHOUSE_TEST_DATABASE_URL');

const prefix = (): string => `gatehouse_test_${variable('GATEHOUSE_TEST_RUN')}_`;

function urlOf(database: string): string {
  const url = new URL(adminUrl());
  url.pathname = `/${database}`;
  return url.href;
}

async function asAdmin<T>(work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: adminUrl() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const drop = (client: Client, database: string): Promise<unknown> =>
  client.query(`drop database if exists ${escapeIdentifier(database)} with (force)`);

/** Makes a database: empty, or a clone of what {@link templateDatabase} returned. */
export async function freshDatabase(
  template = 'template1',
  how: 'wal_log' | 'file_copy' = 'wal_log',
): Promise<FreshDatabase> {
  const name = `${prefix()}${randomBytes(6).toString('hex')}`;
  await asAdmin((client) =>
    client.query(`create database ${escapeIdentifier(name)} template ${escapeIdentifier(template)} strategy ${how}`),
  );
  return Object.freeze({
    url: urlOf(name),
    drop: () => asAdmin(async (client) => void (await drop(client, name))),
  });
}

async function build(client: Client, template: string, prepare: (url: string) => Promise<void>): Promise<void> {
  const { rowCount } = await client.query('select from pg_database where datname = $1', [template]);
  if (rowCount) return;
  // Under another name until it is whole: a failed `prepare` must not leave a half template to the next worker.
  const draft = `${template}_draft`;
  await drop(client, draft);
  await client.query(`create database ${escapeIdentifier(draft)} template template1`);
  await prepare(urlOf(draft));
  await client.query(`alter database ${escapeIdentifier(draft)} rename to ${escapeIdentifier(template)}`);
  // A database that somebody is connected to cannot be cloned.
  await client.query(`alter database ${escapeIdentifier(template)} with allow_connections false`);
}

/**
 * The name of a database that `prepare` (for example, all migrations) ran on once in this Jest run, whichever worker came first.
 * `prepare` must close its connections.
 *
 * @example
 * const database = await freshDatabase(await templateDatabase('migrated', migrate));
 */
export async function templateDatabase(name: string, prepare: (url: string) => Promise<void>): Promise<string> {
  const template = `${prefix()}${name}`;
  await asAdmin(async (client) => {
    // Held by the session, so it is released when this connection ends, even if `prepare` throws.
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [template]);
    await build(client, template, prepare);
  });
  return template;
}

/** Deletes every database that this Jest run made; for a server that lives on. */
export async function dropDatabasesOfThisRun(): Promise<void> {
  await asAdmin(async (client) => {
    const made = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix()],
    );
    for (const { datname } of made.rows) await drop(client, datname);
  });
}

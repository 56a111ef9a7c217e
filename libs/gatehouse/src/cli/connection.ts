import type { Command } from 'commander';
import type { Client } from 'pg';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { CommonOptions } from './subcommand.js';
import type { Terminal } from './terminal.js';

/** Options of every command that needs the database. */
export interface DatabaseOptions extends CommonOptions {
  readonly url?: string;
  readonly schema: string;
}

/** Adds `--url` and `--schema`. */
export const withDatabase = (command: Command): Command =>
  command
    .option('--url <url>', 'the database; default: DATABASE_URL, which other users of this machine do not see')
    .option('--schema <name>', 'where its tables are', 'gatehouse');

/** The database's URL. @throws ConfigurationError where nobody named one */
export function urlOf({ url }: DatabaseOptions, { env }: Terminal): string {
  const given = url ?? env['DATABASE_URL'];
  if (given !== undefined && given !== '') return given;
  throw new ConfigurationError('No database is named: set DATABASE_URL, or pass --url.');
}

/** A connection of the command's own. `read only`, unless it is there to write. */
export async function connect(
  options: DatabaseOptions,
  terminal: Terminal,
  access: 'read only' | 'read write' = 'read only',
): Promise<Client> {
  const { Client: PgClient } = await import('pg');
  const client = new PgClient({
    connectionString: urlOf(options, terminal),
    application_name: 'gatehouse',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  // A connection that breaks is told by the statement that is under way.
  client.on('error', () => undefined);
  await client.connect();
  if (access === 'read only') await client.query('SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY');
  return client;
}

/** A connection for as long as the work takes. */
export async function connected<T>(
  options: DatabaseOptions,
  terminal: Terminal,
  work: (client: Client) => Promise<T>,
  access?: 'read only' | 'read write',
): Promise<T> {
  const client = await connect(options, terminal, access);
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

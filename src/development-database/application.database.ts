import { Client } from 'pg';
import { ADMIN } from './data.cluster.js';

const ALREADY_THERE = ['42P04', '23505'];

/** Makes the server's database named `desk`, if need be, and returns its address. */
export async function applicationDatabase(port: number, password: string): Promise<string> {
  const address = (database: string): string => `postgres://${ADMIN}:${password}@127.0.0.1:${port}/${database}`;
  const client = new Client({ connectionString: address('postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ADMIN]);
    if (rowCount === 0) await client.query(`create database ${ADMIN}`);
  } catch (error) {
    // Another process that shares the server may have made it in between.
    if (!ALREADY_THERE.includes((error as { code?: string }).code ?? '')) throw error;
  } finally {
    await client.end();
  }
  return address(ADMIN);
}

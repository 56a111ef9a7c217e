import { randomBytes } from 'node:crypto';
import { openDevelopmentDatabase } from '../../src/development-database/development-database.js';
import { heldDatabase } from './jest.database.js';

/** One server for the whole run: `DATABASE_URL` if set, else a throwaway one. Workers inherit its address. */
export default async function globalSetup(): Promise<void> {
  const database = await openDevelopmentDatabase({ persistent: false, settings: { max_connections: '200' } });
  heldDatabase().current = database;
  process.env['GATEHOUSE_TEST_DATABASE_URL'] = database.url;
  process.env['GATEHOUSE_TEST_RUN'] = randomBytes(4).toString('hex');
}

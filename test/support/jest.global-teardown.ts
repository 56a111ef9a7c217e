import { heldDatabase } from './jest.database.js';
import { dropDatabasesOfThisRun } from './postgres.js';

/** Runs after failed tests too. After a killed run the server ends by itself. */
export default async function globalTeardown(): Promise<void> {
  const database = heldDatabase().current;
  if (database?.source === 'DATABASE_URL') await dropDatabasesOfThisRun();
  await database?.stop();
}

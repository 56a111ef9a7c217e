import { DatabaseSetupError } from '../development-database/database-setup.error.js';
import { StartError } from './start.error.js';

/** Ends a program that could not start. Errors that say what to do are shown in words; of a surprise one wants to see the stack. */
export function endWith(error: unknown): never {
  const explains = error instanceof StartError || error instanceof DatabaseSetupError;
  console.error(explains ? error.message : error);
  process.exit(1);
}

import { DatabaseSetupError } from './database-setup.error.js';

/** The kept data was written by another major version, which PostgreSQL cannot read. */
export class DataVersionError extends DatabaseSetupError {
  constructor(
    readonly folder: string,
    readonly written: string,
    readonly available: number,
  ) {
    super(
      `The data in ${folder} was made by PostgreSQL ${written}, but the server found is PostgreSQL ${available}. ` +
        `Delete that folder to start with an empty database, or make PostgreSQL ${written} available again.`,
    );
  }
}

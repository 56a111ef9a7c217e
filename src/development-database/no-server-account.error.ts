import { DatabaseSetupError } from './database-setup.error.js';

/** This process is root, PostgreSQL refuses to run as root, and no unprivileged user was found. */
export class NoServerAccountError extends DatabaseSetupError {
  constructor(readonly tried: readonly string[]) {
    super(
      `PostgreSQL refuses to run as root, and none of these users exists here: ${tried.join(', ')}. ` +
        `Start as another user, create the user 'postgres', or set DATABASE_URL.`,
    );
  }
}

import { DatabaseSetupError } from './database-setup.error.js';

/** `initdb` or `postgres` failed; the message ends with its own words. */
export class ServerProgramError extends DatabaseSetupError {
  constructor(
    readonly program: string,
    readonly output: string,
  ) {
    super(
      `${program} failed. If its message below does not help, set DATABASE_URL to a server of your own.\n` +
        (output.trim() || '(it wrote no message)'),
    );
  }
}

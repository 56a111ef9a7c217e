import { DatabaseSetupError } from './database-setup.error.js';

/** The kept data belongs to another user, usually because an earlier start ran as root. */
export class DataOwnerError extends DatabaseSetupError {
  constructor(
    readonly folder: string,
    readonly owner: number,
    readonly user: number,
  ) {
    super(
      `The data in ${folder} belongs to user id ${owner}, but this process runs as user id ${user} ` +
        `(was the last start made as root?). Delete that folder, or start as the user it belongs to.`,
    );
  }
}

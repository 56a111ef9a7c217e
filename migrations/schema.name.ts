import { ConfigurationError } from '../libs/gatehouse/src/contracts/errors/configuration.error.js';

/** Where Gatehouse's tables live unless `persistence.schema` says otherwise. */
export const DEFAULT_SCHEMA = 'gatehouse';

// Short enough that every name derived from it fits the 63 bytes of an identifier.
const SCHEMA = /^(?!pg_)[a-z_][a-z0-9_]{0,47}$/;

/** The schema's name, safe to stand between double quotes. @throws ConfigurationError for any other text */
export function checkedSchema(schema: string): string {
  if (SCHEMA.test(schema)) return schema;
  throw new ConfigurationError(
    `persistence.schema must be 1 to 48 lower-case letters, digits and underscores, start with a letter or underscore, ` +
      `and not start with 'pg_'.`,
  );
}

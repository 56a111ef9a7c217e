import { urlOf, withDatabase, type DatabaseOptions } from './connection.js';
import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type Register } from './subcommand.js';

interface MigrateOptions extends DatabaseOptions {
  readonly check?: boolean;
}

/** Brings the schema to what this version needs. */
export const register: Register = (program, terminal) => {
  const command = withDatabase(subcommand(program, 'migrate', 'bring the schema to what this version needs')).option(
    '--check',
    'change nothing; fail where something is missing',
  );
  does<MigrateOptions>(command, terminal, async (options) => {
    const { GatehouseMigrator } = await import('../persistence/postgres/gatehouse.migrator.js');
    const source = { type: 'postgres', url: urlOf(options, terminal), applicationName: 'gatehouse' } as const;
    await new GatehouseMigrator(source, options.schema).migrate(options.check === true ? 'check' : 'run');
    print(terminal, options, { schema: options.schema, migrated: true }, [
      `The schema '${options.schema}' is what this version needs.`,
    ]);
    return EXIT.ok;
  });
};

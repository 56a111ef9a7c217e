import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type CommonOptions, type Register } from './subcommand.js';

/** Prints the SQL that makes the roles of a schema. */
export const register: Register = (program, terminal) => {
  const command = subcommand(
    program,
    'roles',
    'print SQL that makes and grants the roles of a schema, for psql',
  ).option('--schema <name>', 'where the tables are', 'gatehouse');
  does<CommonOptions & { readonly schema: string }>(command, terminal, async (options) => {
    const { rolesScript } = await import('../persistence/postgres/doctor/roles.script.js');
    const sql = rolesScript(options.schema);
    print(terminal, options, { sql }, [sql.trimEnd()]);
    return EXIT.ok;
  });
};

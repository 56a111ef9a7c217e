import { connected, withDatabase, type DatabaseOptions } from './connection.js';
import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type Register } from './subcommand.js';

const MARKS = { ok: 'ok     ', warning: 'warning', problem: 'PROBLEM' } as const;

/** Says whether the evidence is protected as it should be, and flows. */
export const register: Register = (program, terminal) => {
  const command = withDatabase(
    subcommand(
      program,
      'doctor',
      'look at triggers, grants, months, the seal and its anchors, with the rights of the role that asks',
    ),
  );
  does<DatabaseOptions>(command, terminal, async (options) => {
    const { examine } = await import('../persistence/postgres/doctor/examine.js');
    const findings = await connected(options, terminal, (client) =>
      examine(async <Row>(text: string, values: readonly unknown[] = []) => {
        const { rows } = await client.query(text, [...values]);
        return rows as Row[];
      }, options.schema),
    );
    const lines = findings.map(({ check, verdict, detail }) => `${MARKS[verdict]}  ${check}: ${detail}`);
    print(terminal, options, { findings }, lines);
    return findings.some(({ verdict }) => verdict === 'problem') ? EXIT.incomplete : EXIT.ok;
  });
};

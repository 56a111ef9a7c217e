import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { withDatabase, type DatabaseOptions } from './connection.js';
import { withEvidence } from './evidence.session.js';
import { EXIT } from './exit.codes.js';
import { instantOption } from './instant.option.js';
import { does, subcommand, type Register } from './subcommand.js';
import type { Terminal } from './terminal.js';
import { userOfMachine } from './who.js';

interface ExportOptions extends DatabaseOptions {
  readonly format: 'ndjson' | 'csv' | 'ocsf';
  readonly out?: string;
  readonly organization?: string;
  readonly principal?: string;
  readonly run?: string;
  readonly tool?: string;
  readonly from?: Date;
  readonly until?: Date;
  readonly by: string;
}

/** Writes sealed evidence out. That it was written out is recorded. */
export const register: Register = (program, terminal) => {
  const command = withDatabase(subcommand(program, 'export', 'write evidence out; that you do is recorded'))
    .addOption(
      new Option('--format <format>', 'ndjson has all that proves it')
        .choices(['ndjson', 'csv', 'ocsf'])
        .default('ndjson'),
    )
    .option('--out <file>', 'a new file; default: stdout')
    .option('--organization <id>', "only one organization's")
    .option('--principal <id>', "only one person's")
    .option('--run <id>', 'only of one run')
    .option('--tool <name>', 'only of one tool')
    .option('--from <instant>', 'from this instant on, such as 2026-11-01 or 2026-11-01T12:00:00Z', instantOption)
    .option('--until <instant>', 'until this instant', instantOption)
    .option('--by <who>', 'who exports', userOfMachine());
  does<ExportOptions>(command, terminal, async (options) => {
    const { format, out, organization, principal, run, tool, from, until, by } = options;
    const query = {
      by,
      ...(organization === undefined ? {} : { organizationId: organization }),
      ...(principal === undefined ? {} : { principalId: principal }),
      ...(run === undefined ? {} : { runId: run }),
      ...(tool === undefined ? {} : { toolName: tool }),
      ...(from === undefined ? {} : { from }),
      ...(until === undefined ? {} : { until }),
    };
    await withEvidence(options, terminal, ({ exporting }) =>
      pipeline(
        exporting.open(query, format),
        out === undefined ? stdoutOf(terminal) : createWriteStream(out, { flags: 'wx', mode: 0o600 }),
      ),
    );
    if (out !== undefined) terminal.err(`Written to ${out}.\n`);
    return EXIT.ok;
  });
};

const stdoutOf = (terminal: Terminal): Writable =>
  new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _, done) => {
      terminal.out(chunk.toString());
      done();
    },
  });

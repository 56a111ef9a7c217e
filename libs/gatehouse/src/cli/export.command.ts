import { createWriteStream } from 'node:fs';
import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { withDatabase, type DatabaseOptions } from './connection.js';
import { withEvidence } from './evidence.session.js';
import { EXIT } from './exit.codes.js';
import { scopeOf, withScope, type ScopeOptions } from './scope.options.js';
import { does, subcommand, type Register } from './subcommand.js';
import type { Terminal } from './terminal.js';
import { userOfMachine } from './who.js';

interface ExportOptions extends DatabaseOptions, ScopeOptions {
  readonly format: 'ndjson' | 'csv' | 'ocsf';
  readonly out?: string;
  readonly tool?: string;
  readonly by: string;
}

/** Writes sealed evidence out. That it was written out is recorded. */
export const register: Register = (program, terminal) => {
  const command = withScope(withDatabase(subcommand(program, 'export', 'write evidence out; that you do is recorded')))
    .addOption(
      new Option('--format <format>', 'ndjson has all that proves it')
        .choices(['ndjson', 'csv', 'ocsf'])
        .default('ndjson'),
    )
    .option('--out <file>', 'a new file; default: stdout')
    .option('--tool <name>', 'only of one tool')
    .option('--by <who>', 'who exports', userOfMachine());
  does<ExportOptions>(command, terminal, async (options) => {
    const { format, out, tool, by } = options;
    const query = { by, ...scopeOf(options), ...(tool === undefined ? {} : { toolName: tool }) };
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

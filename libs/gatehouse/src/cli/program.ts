import { Command, CommanderError } from 'commander';
import { EXIT } from './exit.codes.js';
import { register as keygen } from './keygen.command.js';
import { register as migrate } from './migrate.command.js';
import { register as erase } from './erase.command.js';
import { register as exporting } from './export.command.js';
import { register as hold } from './hold.command.js';
import { register as retain } from './retain.command.js';
import { register as doctor } from './doctor.command.js';
import { register as roles } from './roles.command.js';
import { register as prove } from './prove.command.js';
import type { Register } from './subcommand.js';
import type { Terminal } from './terminal.js';
import { register as verify } from './verify.command.js';
import { register as verifyProof } from './verify-proof.command.js';

/**
 * The commands of `gatehouse`, in the order of its help. To add one: write `<name>.command.ts` beside this file, which exports
 * `register: Register` and is built with the helpers of `subcommand.ts` (options and errors that all commands share) and `connection.ts` (a
 * database); then name it here. Nothing else knows the commands.
 */
const COMMANDS: readonly Register[] = [
  migrate,
  keygen,
  verify,
  prove,
  verifyProof,
  exporting,
  retain,
  erase,
  hold,
  doctor,
  roles,
];

/** Runs one command line, without the two words in front; resolves with the exit code. Never rejects for what a user can do wrong. */
export async function run(argv: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await programOn(terminal).parseAsync([...argv], { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    throw error;
  }
}

function programOn(terminal: Terminal): Command {
  const program = new Command('gatehouse')
    .description('The evidence of an application that runs on nest-gatehouse.')
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.err(text) })
    .showHelpAfterError("Try 'gatehouse --help'.");
  for (const register of COMMANDS) register(program, terminal);
  return program;
}

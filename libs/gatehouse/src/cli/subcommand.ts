import type { Command } from 'commander';
import { problemOf } from './problem.text.js';
import { EXIT, type ExitCode } from './exit.codes.js';
import type { Terminal } from './terminal.js';

/** Adds a command to the program. What each `<name>.command.ts` exports. */
export type Register = (program: Command, terminal: Terminal) => void;

/** Options of every command. */
export interface CommonOptions {
  /** The result as one JSON document on stdout. */
  readonly json?: boolean;
  /** Problems with everything the driver and the system say of them. */
  readonly debug?: boolean;
}

/** A command with the options that all have. */
export const subcommand = (program: Command, name: string, description: string): Command =>
  program
    .command(name)
    .description(description)
    .option('--json', 'print the result as JSON')
    .option('--debug', 'print whole errors');

/** What the command does, with its options and arguments; a throw is one line on stderr, and `EXIT.failed`. */
export function does<Options extends CommonOptions>(
  command: Command,
  terminal: Terminal,
  work: (options: Options, args: readonly string[]) => Promise<ExitCode>,
): void {
  command.action(async () => {
    const options = command.opts<Options>();
    try {
      terminal.exitCode = await work(options, command.args);
    } catch (error) {
      terminal.err(`gatehouse ${command.name()}: ${problemOf(error, options.debug === true)}\n`);
      terminal.exitCode = EXIT.failed;
    }
  });
}

/** Prints a result: one JSON document where that was asked for, else lines for a person. */
export function print(terminal: Terminal, { json }: CommonOptions, result: object, lines: readonly string[]): void {
  terminal.out(json === true ? `${JSON.stringify(result, null, 2)}\n` : lines.map((line) => `${line}\n`).join(''));
}

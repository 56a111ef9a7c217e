import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { createInterface } from 'node:readline';
import { Option } from 'commander';
import type { VerifyLevel, VerifyOutcome } from '../audit/verify/verify.report.js';
import { verifyLedger } from '../audit/verify/verification.js';
import { verifiedState, type VerifiedState } from '../audit/verify/verified.state.js';
import { urlOf, withDatabase, type DatabaseOptions } from './connection.js';
import { EXIT, type ExitCode } from './exit.codes.js';
import { fromOption, toOption } from './month.option.js';
import { progressOn } from './progress.js';
import { reportLines } from './report.text.js';
import { does, print, subcommand, type Register } from './subcommand.js';
import { added, readKeys, withKeys, type KeyOptions } from './trusted.keys.js';

interface VerifyCommandOptions extends DatabaseOptions, KeyOptions {
  readonly level: VerifyLevel;
  readonly from?: Date;
  readonly to?: Date;
  readonly sinceLast?: string;
  readonly anchor?: readonly string[];
  readonly archive?: readonly string[];
  readonly allowUnpinned?: boolean;
}

/** What each outcome ends with. */
const EXIT_OF: Readonly<Record<VerifyOutcome, ExitCode>> = {
  ok: EXIT.ok,
  tampered: EXIT.tampered,
  incomplete: EXIT.incomplete,
  untrusted: EXIT.untrusted,
};

/** Verifies what is stored. Reads only; an auditor's role is enough. */
export const register: Register = (program, terminal) => {
  const command = withKeys(withDatabase(subcommand(program, 'verify', 'verify the stored evidence')))
    .addOption(
      new Option('--level <level>', 'how deep, each with all before it')
        .choices(['checkpoints', 'batches', 'rows', 'payloads'])
        .default('payloads'),
    )
    .option('--from <when>', 'records only of the months from this month or instant on', fromOption)
    .option('--to <when>', 'and up to this month or instant', toOption)
    .option('--since-last <file>', 'go on where the last run ended, and keep in this file where this one does')
    .option('--anchor <file>', 'a copy of a checkpoint from outside the database; may be repeated', added)
    .option('--archive <file>', 'a month that was archived when it was dropped; may be repeated', added)
    .option('--allow-unpinned', 'succeed without an anchor: nobody could tell that the newest records were cut off')
    .addHelpText('after', HELP);
  does<VerifyCommandOptions>(command, terminal, async (options) => {
    const keys = await readKeys(options);
    if (keys.length === 0) {
      terminal.err('gatehouse verify: pass --key, the verifier key you trust; there is nothing to verify against.\n');
      return EXIT.untrusted;
    }
    const { PostgresLedgerReader } = await import('../persistence/postgres/ledger/reading/postgres.ledger.reader.js');
    const reader = new PostgresLedgerReader({ connectionString: urlOf(options, terminal) }, options.schema);
    const { sinceLast, origin, level, from, to, allowUnpinned } = options;
    const since = sinceLast === undefined ? undefined : await stateIn(sinceLast);
    const progress = progressOn(terminal);
    const { report, state } = await verifyLedger(reader, {
      keys,
      level,
      ...(origin !== undefined && { origin }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { until: to }),
      ...(since !== undefined && { since }),
      anchors: await anchorsIn(options.anchor ?? []),
      archives: (options.archive ?? []).map(linesIn),
      allowUnpinned: allowUnpinned === true,
      onProgress: ({ what, done, total }) => progress.at(what, done, total),
    }).finally(() => progress.end());
    if (sinceLast !== undefined && state !== undefined) await keep(sinceLast, state);
    print(terminal, options, report, reportLines(report));
    return EXIT_OF[report.outcome];
  });
};

const HELP = `
Ends with 0: all holds, and an anchor pins it; 1: tampered; 2: incomplete, or not pinned; 3: no key you trust signed it;
4: it could not be read. Take the key and the anchors from where the database's administrators cannot write.`;

const anchorsIn = (files: readonly string[]) =>
  Promise.all(files.map(async (file) => ({ name: basename(file), note: await readFile(file, 'utf8') })));

// Opened when it is read: lines that come before somebody listens would be lost.
async function* linesIn(file: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Infinity });
}

async function stateIn(file: string): Promise<VerifiedState | undefined> {
  try {
    return verifiedState(await readFile(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function keep(file: string, state: VerifiedState): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(state)}\n`);
  await rename(`${file}.new`, file);
}

import { withDatabase, type DatabaseOptions } from './connection.js';
import { withEvidence } from './evidence.session.js';
import { EXIT } from './exit.codes.js';
import { instantOption } from './instant.option.js';
import { archiveMonth } from './month.archive.js';
import { does, print, subcommand, type Register } from './subcommand.js';
import { userOfMachine } from './who.js';

interface RetainOptions extends DatabaseOptions {
  readonly keep: string;
  readonly archive?: string;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly asOf?: Date;
  readonly by: string;
}

/** Lets old months go. */
export const register: Register = (program, terminal) => {
  const command = withDatabase(
    subcommand(program, 'retain', 'let months go that are over for longer than evidence is kept'),
  )
    .requiredOption('--keep <period>', 'ai-act (184 days), pci (366 days), hipaa (6 years), or a duration such as 400d')
    .option(
      '--archive <folder>',
      'write each month into a file of its own there before it goes; no file is overwritten',
    )
    .option('--dry-run', 'only say what would go')
    .option('--force', 'less than 184 days')
    .option('--as-of <instant>', 'count from here; never later than now', instantOption)
    .option('--by <who>', 'who lets them go', userOfMachine());
  does<RetainOptions>(command, terminal, async (options) => {
    const { keep, archive, dryRun, force, asOf, by, schema } = options;
    const months = await withEvidence(options, terminal, ({ retention, source }) =>
      retention.retain({
        keep,
        by,
        dryRun: dryRun === true,
        force: force === true,
        ...(asOf === undefined ? {} : { asOf }),
        ...(archive === undefined
          ? {}
          : { archive: (month: string) => archiveMonth(source, month, { folder: archive, schema }) }),
      }),
    );
    const lines = months.map(
      ({ month, records, outcome, holds = [] }) =>
        `${month}  ${records} records  ${outcome}${holds.length > 0 ? ` by ${holds.join(', ')}` : ''}`,
    );
    print(terminal, options, { months }, lines.length > 0 ? lines : ['Nothing is old enough to go.']);
    return EXIT.ok;
  });
};

import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { withDatabase, type DatabaseOptions } from './connection.js';
import { withEvidence } from './evidence.session.js';
import { EXIT } from './exit.codes.js';
import { does, print, subcommand, type Register } from './subcommand.js';
import { userOfMachine } from './who.js';

interface EraseOptions extends DatabaseOptions {
  readonly principal?: string;
  readonly run?: string;
  readonly reason?: string;
  readonly dryRun?: boolean;
  readonly by: string;
}

/** Takes away the texts by and about somebody. */
export const register: Register = (program, terminal) => {
  const command = withDatabase(
    subcommand(program, 'erase', 'take away the texts by and about a person, or of a run; what is sealed stays'),
  )
    .option('--principal <id>', 'whose')
    .option('--run <id>', 'of which run')
    .option('--reason <text>', 'why; kept beside the record of it')
    .option('--dry-run', 'only count')
    .option('--by <who>', 'who erases', userOfMachine());
  does<EraseOptions>(command, terminal, async (options) => {
    const { principal, run, reason, dryRun, by } = options;
    if ((principal === undefined) === (run === undefined)) {
      throw new ConfigurationError('Name either a person (--principal) or a run (--run).');
    }
    const how = { by, dryRun: dryRun === true, ...(reason === undefined ? {} : { reason }) };
    const counted = await withEvidence(options, terminal, ({ erasure }) =>
      erasure.erase(principal === undefined ? { runId: run ?? '', ...how } : { principalId: principal, ...how }),
    );
    const verb = dryRun === true ? 'would be erased' : 'erased';
    print(terminal, options, counted, [
      `${counted.payloads} payloads and the working state of ${counted.runs} runs ${verb}.`,
      ...(counted.activeRuns > 0
        ? [`${counted.activeRuns} runs are not over: nothing of theirs goes before they are. Ask again then.`]
        : []),
      'Backups, exports and logs are not reached from here.',
    ]);
    return EXIT.ok;
  });
};

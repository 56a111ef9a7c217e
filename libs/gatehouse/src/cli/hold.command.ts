import type { LegalHold } from '../contracts/legal.hold.js';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { withDatabase, type DatabaseOptions } from './connection.js';
import { withEvidence } from './evidence.session.js';
import { EXIT } from './exit.codes.js';
import { scopeOf, withScope, type ScopeOptions } from './scope.options.js';
import { does, print, subcommand, type Register } from './subcommand.js';
import { userOfMachine } from './who.js';

interface HoldOptions extends DatabaseOptions, ScopeOptions {
  readonly reason?: string;
  readonly release?: string;
  readonly by: string;
}

/** Places, releases and lists legal holds. */
export const register: Register = (program, terminal) => {
  const command = withScope(
    withDatabase(subcommand(program, 'hold', 'list legal holds; place one with --reason; release one with --release')),
  )
    .option('--reason <text>', 'place a hold, for this reason')
    .option('--release <id>', 'release this hold')
    .option('--by <who>', 'who does it', userOfMachine());
  does<HoldOptions>(command, terminal, async (options) => {
    const { reason, release, by } = options;
    const holds = await withEvidence(options, terminal, async ({ holds: legal }) => {
      if (release !== undefined) return [await released(legal.release(release, by), release)];
      if (reason === undefined) return legal.list();
      return [await legal.place({ reason, by, ...scopeOf(options) })];
    });
    print(terminal, options, { holds }, holds.length > 0 ? holds.map(shown) : ['No hold stands.']);
    return EXIT.ok;
  });
};

async function released(release: Promise<LegalHold | undefined>, id: string): Promise<LegalHold> {
  const hold = await release;
  if (hold !== undefined) return hold;
  throw new ConfigurationError(`No hold '${id}' stands: it is unknown, or was released before.`);
}

function shown({ id, reason, placedBy, placedAt, releasedBy, ...about }: LegalHold): string {
  const scope =
    [about.organizationId, about.principalId, about.runId].filter((one) => one !== undefined).join(' ') || 'everything';
  const range = [
    ...(about.from === undefined ? [] : [` from ${about.from.toISOString()}`]),
    ...(about.until === undefined ? [] : [` until ${about.until.toISOString()}`]),
  ].join('');
  const until = releasedBy === undefined ? 'stands' : `released by ${releasedBy}`;
  return `${id}  ${scope}${range}  ${until}  placed by ${placedBy} on ${placedAt.toISOString()}: ${reason}`;
}

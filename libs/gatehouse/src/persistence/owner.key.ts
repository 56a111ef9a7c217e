import type { Owner } from '../contracts/ports/run.reader.js';
import type { NewRun } from '../contracts/ports/stored.run.js';
import { sha256Hex } from '../values/digest.js';
import { visibleText } from '../values/visible-text.js';

/** One text for an (organization, principal) pair of any length, absent ones included: what uniqueness and lookups go by. */
export function ownerKey(owner: Owner): string {
  return sha256Hex(JSON.stringify([shown(owner.organizationId), shown(owner.principalId)]));
}

/** To whom a run, and the thread it opens, belongs. */
export function ownerOf({ organizationId, user }: NewRun): Owner {
  return {
    ...(organizationId === undefined ? {} : { organizationId }),
    ...(user === undefined ? {} : { principalId: visibleText(user.id) }),
  };
}

function shown(id: string | undefined): string | null {
  return id === undefined ? null : visibleText(id);
}

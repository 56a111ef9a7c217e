import type { RunReader, StoredSegment } from '../contracts/ports/run.reader.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import type { Principal } from '../contracts/principal.js';
import { isUuid } from '../values/ids.js';
import { ownerOf, type Access } from './access.js';
import { isWireId } from './http/fields.js';
import { notFound } from './http/problem.error.js';

/** A run that an id in a URL names; `segment` where it named only that. */
export interface FoundRun {
  readonly run: StoredRun;
  readonly segment?: StoredSegment;
}

/** Our id of a run, or the caller's own name of a segment. Throws 404 where there is none that this principal may touch. */
export async function findRun(
  reader: RunReader,
  access: Access,
  principal: Principal,
  action: 'run.read' | 'run.cancel',
  id: string,
): Promise<FoundRun> {
  if (!isWireId(id)) throw notFound('run');
  // Ours are uuids: anything else need not reach a typed column.
  const run = isUuid(id) ? await reader.run(id) : undefined;
  if (run !== undefined && (await access.run(principal, action, run))) return { run };
  const segment = await reader.segment(ownerOf(principal), id);
  const named = segment === undefined ? undefined : await reader.run(segment.runId);
  if (segment === undefined || named === undefined || !(await access.run(principal, action, named)))
    throw notFound('run');
  return { run: named, segment };
}

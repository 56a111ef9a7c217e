import { RunConflictError } from '../../contracts/errors/run-conflict.error.js';
import type { RunReader } from '../../contracts/ports/run.reader.js';
import type { Principal } from '../../contracts/principal.js';
import { ownerOf } from '../access.js';

/** A client's name for a segment is used once. The store refuses a second use too; asked first, so that the answer is a plain 409. */
export async function refuseUsedSegment(reader: RunReader, principal: Principal, segment: string): Promise<void> {
  if ((await reader.segment(ownerOf(principal), segment)) === undefined) return;
  throw new RunConflictError('This runId was used before. Attach to its events, or send the request with a new runId.');
}

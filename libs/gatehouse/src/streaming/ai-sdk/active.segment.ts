import type { RunReader } from '../../contracts/ports/run.reader.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import { underWay } from '../under.way.js';

const BATCH = 500;

/** A run under way, and where its latest segment starts. */
export interface ActiveSegment {
  readonly run: StoredRun;
  readonly firstSeq: number;
}

/** What is under way on a thread; a run that waits for a person is not. */
export async function activeSegment(reader: RunReader, threadId: string): Promise<ActiveSegment | undefined> {
  const run = await underWay(reader, threadId);
  if (run === undefined) return undefined;
  let firstSeq = 1;
  for (let after = 0; after < run.lastSeq;) {
    const { frames } = await reader.frames(run.id, after, BATCH);
    firstSeq = frames.findLast(({ event }) => event.type === 'run.started')?.seq ?? firstSeq;
    after = frames.at(-1)?.seq ?? run.lastSeq;
  }
  return { run, firstSeq };
}

import type { RunReader } from '../contracts/ports/run.reader.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';

/** The run of a thread that is executed, or will be; one that waits for a person is not under way. */
export async function underWay(reader: RunReader, threadId: string): Promise<StoredRun | undefined> {
  const of = async (status: 'running' | 'queued') => (await reader.runs({ threadId, status, limit: 1 })).items[0];
  return (await of('running')) ?? (await of('queued'));
}

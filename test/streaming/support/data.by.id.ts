import { readEvents } from 'nest-gatehouse/testing';

/** The data of a whole stream's events, by their ids. */
export async function dataById(response: Response): Promise<ReadonlyMap<string, string>> {
  const frames = await readEvents(response, { timeoutMs: 30_000 });
  return new Map(
    frames.flatMap(({ id, data }) => (id === undefined || data === undefined ? [] : [[id, data] as const])),
  );
}

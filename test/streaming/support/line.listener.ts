import { eventsOf } from 'nest-gatehouse/testing';

import { ANN, headersOf } from '../../e2e/support/client.js';

/** A server says something at least every heartbeat: longer silence is a dead line. In milliseconds. */
const LONGEST_SILENCE = 250;
/** Who hears nothing time after time waits longer: the server may have no time for anybody. */
const MOST_PATIENCE = 4_000;
const LONGEST = 60_000;
const HEADERS = { ...headersOf(ANN), 'content-type': 'application/json' };

/** One request for a stream. */
export interface Asked {
  readonly url: string;
  /** Makes it a POST. */
  readonly body?: object;
  readonly headers?: Record<string, string>;
  /** Gives up after so many milliseconds. */
  readonly hasty?: number;
  /** How often in a row nothing was heard. */
  readonly fruitless?: number;
}

/** What is done with the answer. */
export interface Listener {
  answered?(response: Response): void;
  /** Whether that is all that it wants: a stream by a run's id goes on after a segment. */
  event(id: string, data: string): boolean;
}

/** Reads until the line breaks or is silent. Answers the status; nothing where there was no answer, or it broke off. */
export async function listen(
  { url, body, headers, hasty, fruitless = 0 }: Asked,
  listener: Listener,
): Promise<number | undefined> {
  const dead = new AbortController();
  const impatience = hasty === undefined ? undefined : setTimeout(() => dead.abort(), hasty);
  const longest = Math.min(LONGEST_SILENCE * 2 ** Math.max(0, fruitless - 3), MOST_PATIENCE);
  let silence = setTimeout(() => dead.abort(), longest);
  try {
    const response = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      headers: { ...HEADERS, ...headers },
      signal: dead.signal,
    });
    listener.answered?.(response);
    if (response.status !== 200) {
      await response.arrayBuffer();
      return response.status;
    }
    for await (const { id, data } of eventsOf(response, LONGEST)) {
      clearTimeout(silence);
      silence = setTimeout(() => dead.abort(), longest);
      if (data !== undefined && id !== undefined && listener.event(id, data)) return 200;
    }
    return 200;
  } catch {
    return undefined;
  } finally {
    clearTimeout(silence);
    clearTimeout(impatience);
  }
}

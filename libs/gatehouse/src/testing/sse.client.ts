import { SseParser, type SseFrame } from './sse.parser.js';

/** When to stop reading a stream of events. */
export interface ReadEventsOptions {
  /** Stops after the first frame for which it is true, and closes the connection. Default: read to the end of the stream. */
  readonly until?: (frame: SseFrame) => boolean;
  /** How long to wait in all, in milliseconds. Default 5000. */
  readonly timeoutMs?: number;
}

/**
 * Reads a server-sent event stream, never longer than asked for. Throws where the answer is no event stream, where the time is up, and where
 * the stream ended before `until` was met; the message shows what had arrived.
 *
 * @example
 * ```ts
 * const frames = await readEvents(await fetch(url), { until: ({ data }) => data?.includes('RUN_FINISHED') ?? false, timeoutMs: 2000 });
 * ```
 */
export const readEvents = async (
  response: Response,
  { until, timeoutMs = 5000 }: ReadEventsOptions = {},
): Promise<SseFrame[]> => {
  const frames: SseFrame[] = [];
  for await (const frame of framesOf(response, timeoutMs, frames)) {
    frames.push(frame);
    if (until?.(frame) === true) return frames;
  }
  if (until !== undefined) throw new Error(`The stream ended before the awaited frame. ${shown(frames)}`);
  return frames;
};

/** The events of a stream one by one; leaving the loop closes the connection. Throws when `timeoutMs` have passed in all. */
export const eventsOf = (response: Response, timeoutMs = 5000): AsyncGenerator<SseFrame, void, undefined> =>
  framesOf(response, timeoutMs, []);

async function* framesOf(
  response: Response,
  timeoutMs: number,
  seen: readonly SseFrame[],
): AsyncGenerator<SseFrame, void, undefined> {
  const reader = (await bodyOf(response)).pipeThrough(new TextDecoderStream()).getReader();
  const parser = new SseParser();
  const deadline = timer(timeoutMs, () => new Error(`The stream did not end within ${timeoutMs} ms. ${shown(seen)}`));
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), deadline.promise]);
      if (done) return;
      yield* parser.push(value);
    }
  } finally {
    deadline.stop();
    await reader.cancel().catch(() => undefined);
  }
}

const bodyOf = async (response: Response): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> => {
  const type = response.headers.get('content-type') ?? 'nothing';
  if (response.body !== null && type.startsWith('text/event-stream')) return response.body;
  throw new Error(`Expected an event stream, got ${response.status} ${type}: ${(await response.text()).slice(0, 500)}`);
};

const timer = (milliseconds: number, error: () => Error) => {
  let stop = (): void => undefined;
  const promise = new Promise<never>((_, reject) => {
    const running = setTimeout(() => reject(error()), milliseconds);
    stop = () => clearTimeout(running);
  });
  promise.catch(() => undefined);
  return { promise, stop };
};

const shown = (frames: readonly SseFrame[]): string =>
  frames.length === 0
    ? 'Nothing had arrived.'
    : `${frames.length} frames had arrived, the last: ${JSON.stringify(frames.at(-1)).slice(0, 500)}`;

import { setTimeout as sleep } from 'node:timers/promises';
import { APICallError, RetryError } from 'ai';

const DEFAULT_RETRIES = 2;
const FIRST_PAUSE = 2_000;
/** A provider that asks for more patience than this is asked by our own clock. */
const LONGEST_WISH = 60_000;

/**
 * Asks again after a refusal that may pass, with backoff, `retry-after` respected, as the SDK does. Once a response has begun to stream it is never asked
 * for again. Throws the refusal itself, or `RetryError` once the attempts are spent.
 */
export const retried = async <T>(
  request: () => PromiseLike<T>,
  retries = DEFAULT_RETRIES,
  signal: AbortSignal,
): Promise<T> => {
  const errors: unknown[] = [];
  for (let pause = FIRST_PAUSE; ; pause *= 2) {
    try {
      return await request();
    } catch (error) {
      signal.throwIfAborted();
      if (!APICallError.isInstance(error) || !error.isRetryable || retries === 0) throw error;
      errors.push(error);
      if (errors.length > retries) throw spent(errors, error);
      await patiently(wishOf(error) ?? pause, signal);
    }
  }
};

const spent = (errors: unknown[], { message }: APICallError): RetryError =>
  new RetryError({
    message: `Failed after ${errors.length} attempts. Last error: ${message}`,
    reason: 'maxRetriesExceeded',
    errors,
  });

/** How long the provider wants us to wait, in milliseconds, if it says so and it is reasonable. */
const wishOf = ({ responseHeaders = {} }: APICallError): number | undefined => {
  const { 'retry-after-ms': exact, 'retry-after': rough } = responseHeaders;
  const wish = exact === undefined ? fromHeader(rough) : Number(exact);
  return wish !== undefined && wish >= 0 && wish <= LONGEST_WISH ? wish : undefined;
};

/** Seconds, or a date. */
const fromHeader = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const seconds = Number(header);
  return Number.isNaN(seconds) ? Date.parse(header) - Date.now() : seconds * 1000;
};

const patiently = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
  try {
    await sleep(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
};

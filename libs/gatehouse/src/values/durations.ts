import ms, { type StringValue } from 'ms';

import type { Duration } from '../contracts/duration.js';

// ms refuses longer text by throwing an error of its own that does not name the option.
const LONGEST_TEXT = 100;

/**
 * The milliseconds of a configured duration; fractions of a millisecond are kept.
 *
 * @param name the option as its writer knows it, such as `runs.lease`; it opens the error
 * @throws TypeError when it is no duration, negative or not finite
 */
export function toMilliseconds(duration: Duration, name: string): number {
  const milliseconds = typeof duration === 'string' ? fromText(duration) : duration;
  if (typeof milliseconds === 'number' && Number.isFinite(milliseconds) && milliseconds >= 0) return milliseconds;
  throw new TypeError(
    `${name} is ${shown(duration)}, which is no duration. ` +
      `Write a number of milliseconds that is 0 or more, or text such as '500ms', '60s', '15m', '24h' or '7d'.`,
  );
}

function fromText(text: string): number | undefined {
  if (text.trim() === '' || text.length > LONGEST_TEXT) return undefined;
  return ms(text.trim() as StringValue);
}

function shown(duration: unknown): string {
  if (typeof duration === 'string') return `'${duration.slice(0, LONGEST_TEXT)}'`;
  return typeof duration === 'number' ? String(duration) : `of type ${typeof duration}`;
}

import { InvalidArgumentError } from 'commander';

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/** An instant of a command line: a day (its start, in UTC) or an ISO 8601 instant with its zone. Never the machine's own zone. */
export function instantOption(text: string): Date {
  const instant = INSTANT.test(text) && isDay(text.slice(0, 10)) ? new Date(text) : new Date(Number.NaN);
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new InvalidArgumentError('write a day (2026-11-01) or an instant with its zone (2026-11-01T12:00:00Z).');
}

// A Date takes February 31 for March 3.
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

const MOST_INTEGER = 2 ** 31 - 1;

/** A count as an integer column takes it: whole, in range; null for what is no number. */
export const smallCount = (value: number | null): number | null => bounded(value, MOST_INTEGER);

/** A count as a bigint column takes it. */
export const largeCount = (value: number | null): number | null => bounded(value, Number.MAX_SAFE_INTEGER);

/** Milliseconds as microseconds. */
export const microseconds = (milliseconds: number): number | null => largeCount(milliseconds * 1000);

/** Microseconds as milliseconds. */
export const milliseconds = (microseconds: number | null | undefined): number => (microseconds ?? 0) / 1000;

function bounded(value: number | null, most: number): number | null {
  if (value === null || Number.isNaN(value)) return null;
  return Math.max(-most, Math.min(most, Math.round(value)));
}

/** Node fires a longer timer at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Calls `fire` after so many milliseconds; where that is longer than a timer can be, never. */
export const timerOf = (milliseconds: number, fire: () => void): NodeJS.Timeout | undefined =>
  milliseconds > LONGEST_TIMER ? undefined : setTimeout(fire, milliseconds);

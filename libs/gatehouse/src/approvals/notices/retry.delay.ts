const FIRST = 1_000;
const LONGEST = 3_600_000;
const ATTEMPTS = 20;

/** Milliseconds until a notice is tried again: 1 s, doubled with each attempt, an hour at the most; nothing after the twentieth, about half a day later. */
export function retryDelay(attempts: number): number | undefined {
  return attempts >= ATTEMPTS ? undefined : Math.min(FIRST * 2 ** (attempts - 1), LONGEST);
}

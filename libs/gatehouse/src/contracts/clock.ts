/** Durations, timers and the memory store read time here; with Postgres every stored instant is the database's own. */
export abstract class Clock {
  /** The wall clock. */
  abstract now(): Date;
  /** Milliseconds since an arbitrary origin; never goes back. */
  abstract monotonic(): number;
}

/** What must never reach a store, a stream or a log in clear. Tools always receive the clear value. */
export interface RedactionOptions {
  /** More key names (compared without case and separators) or patterns; they add to the built-in list. */
  readonly keys?: readonly (string | RegExp)[];
  /** Values to blank wherever they stand, such as `/\b\d{16}\b/`. Default: none. */
  readonly valuePatterns?: readonly RegExp[];
  /** What stands instead. Default `'[redacted]'`. */
  readonly placeholder?: string;
  /** A last word on every value; a throw redacts it. */
  redact?(value: unknown, path: readonly (string | number)[]): unknown;
}

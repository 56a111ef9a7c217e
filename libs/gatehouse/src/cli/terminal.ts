/** Where a command reads its surroundings and writes what it says; a test has its own. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether a person watches stderr. */
  readonly isWatched: boolean;
  /** Results. */
  out(text: string): void;
  /** Progress and problems. */
  err(text: string): void;
  exitCode: number;
}

/** The terminal of this process. */
export const processTerminal = (): Terminal => ({
  env: process.env,
  isWatched: process.stderr.isTTY === true,
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  exitCode: 0,
});

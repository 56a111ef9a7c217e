/**
 * How the command ends. `verify` and `verify-proof` answer with the first four; every command fails with `failed`, and a command line that cannot be
 * read is `usage`.
 */
export const EXIT = Object.freeze({
  /** Done; of `verify`: everything holds, and an anchor pins it. */
  ok: 0,
  /** What is stored is not what was sealed. */
  tampered: 1,
  /** Nothing was changed, but something is missing or not pinned. */
  incomplete: 2,
  /** No key that is trusted signed it. */
  untrusted: 3,
  /** It could not be done: no database, no file, no rights. Says nothing about the evidence. */
  failed: 4,
  usage: 64,
});

/** One of `EXIT`. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

import type { Stop } from './passage.js';

/** The core's own word, thrown through the onion: what arrived may not start. Never leaves the pipeline. */
export class CoreVerdict extends Error {
  private constructor(
    readonly stop?: Stop,
    /** An approved call arrived with other arguments: its approval is void. */
    readonly changed?: { readonly args: unknown },
  ) {
    super('The call may not start with what arrived.');
  }

  static stopped(stop: Stop): CoreVerdict {
    return new CoreVerdict(stop);
  }

  static changed(args: unknown): CoreVerdict {
    return new CoreVerdict(undefined, { args });
  }
}

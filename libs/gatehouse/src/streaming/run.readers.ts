import { Injectable } from '@nestjs/common';

/** How many clients of this process watch each run. */
@Injectable()
export class RunReaders {
  private readonly counts = new Map<string, number>();

  /** Counts one reader more. The returned function takes it off again, once, and says whether nobody is left. */
  attach(runId: string): () => boolean {
    this.counts.set(runId, this.of(runId) + 1);
    let attached = true;
    return () => {
      if (!attached) return this.of(runId) === 0;
      attached = false;
      const left = this.of(runId) - 1;
      if (left > 0) this.counts.set(runId, left);
      else this.counts.delete(runId);
      return left === 0;
    };
  }

  /** How many watch this run here. */
  of(runId: string): number {
    return this.counts.get(runId) ?? 0;
  }
}

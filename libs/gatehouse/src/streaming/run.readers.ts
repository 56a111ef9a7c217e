import { Injectable } from '@nestjs/common';

/** How many clients of this process watch each run. */
@Injectable()
export class RunReaders {
  private readonly counts = new Map<string, number>();

  /** Counts one reader more. The returned function takes it off again, once. */
  attach(runId: string): () => void {
    this.counts.set(runId, this.of(runId) + 1);
    let attached = true;
    return () => {
      if (!attached) return;
      attached = false;
      const left = this.of(runId) - 1;
      if (left > 0) this.counts.set(runId, left);
      else this.counts.delete(runId);
    };
  }

  /** The runs that somebody watches here. */
  watched(): readonly string[] {
    return [...this.counts.keys()];
  }

  /** How many watch this run here. */
  of(runId: string): number {
    return this.counts.get(runId) ?? 0;
  }
}

import { Injectable, Logger } from '@nestjs/common';

/** Counts what clients sent and no model was shown. */
@Injectable()
export class DroppedContent {
  private readonly logger = new Logger('gatehouse.streams');
  private readonly counts = new Map<string, number>();

  /** Adds the counts of one request. */
  note(dropped: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(dropped)) this.counts.set(kind, (this.counts.get(kind) ?? 0) + count);
    if (Object.keys(dropped).length > 0) this.logger.debug(`Client content dropped: ${JSON.stringify(dropped)}`);
  }

  /** By kind, such as `messages.assistant`, since this process started. */
  get soFar(): ReadonlyMap<string, number> {
    return this.counts;
  }
}

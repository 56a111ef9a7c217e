import { Injectable, Logger } from '@nestjs/common';

/** Counts what clients sent and no model was shown. */
@Injectable()
export class DroppedContent {
  private readonly logger = new Logger('gatehouse.streams');
  private readonly totals = new Map<string, number>();

  /** `counts` by kind, such as `messages.assistant`. */
  note(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.totals.set(kind, (this.totals.get(kind) ?? 0) + count);
    if (Object.keys(counts).length > 0) this.logger.debug(`Client content dropped: ${JSON.stringify(counts)}`);
  }

  /** Since this process started. */
  get counts(): ReadonlyMap<string, number> {
    return this.totals;
  }
}

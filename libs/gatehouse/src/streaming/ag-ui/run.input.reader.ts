import { Injectable, Logger } from '@nestjs/common';

import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { parseRunAgentInput, type RunInput } from './run.input.js';

/** Reads request bodies as the host allows, and counts what clients sent and no model was shown. */
@Injectable()
export class RunInputReader {
  private readonly logger = new Logger('gatehouse.streams');
  private readonly dropped = new Map<string, number>();

  constructor(private readonly options: ResolvedOptions) {}

  /** Throws a 400 problem that names the field. */
  read(body: unknown): RunInput {
    const input = parseRunAgentInput(body, this.options.streaming.accept);
    for (const [kind, count] of Object.entries(input.dropped)) {
      this.dropped.set(kind, (this.dropped.get(kind) ?? 0) + count);
    }
    if (Object.keys(input.dropped).length > 0) {
      this.logger.debug(`Client content dropped: ${JSON.stringify(input.dropped)}`);
    }
    return input;
  }

  /** By kind, such as `messages.assistant`, since this process started. */
  get droppedSoFar(): ReadonlyMap<string, number> {
    return this.dropped;
  }
}

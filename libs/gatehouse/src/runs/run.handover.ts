import { Injectable, Logger } from '@nestjs/common';
import { RunDispatcher } from '../contracts/ports/run.dispatcher.js';
import { describeError } from '../values/error-text.js';

/** Hands queued runs to the dispatcher. Nobody waits for that: a run that got lost on the way is found by the sweep. */
@Injectable()
export class RunHandover {
  private readonly logger = new Logger('gatehouse.runs');

  constructor(private readonly dispatcher: RunDispatcher) {}

  /** Never throws. */
  async handOver(runId: string): Promise<void> {
    try {
      await this.dispatcher.dispatch(runId);
    } catch (error) {
      this.logger.warn(`Run ${runId} is queued but was not handed over, and is tried again: ${describeError(error)}`);
    }
  }
}

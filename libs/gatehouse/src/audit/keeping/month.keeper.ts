import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { EvidenceKeeping } from '../../contracts/ports/evidence.keeping.js';
import { describeError } from '../../values/error-text.js';

const AHEAD = 3;
const EVERY = 6 * 3_600_000;

/** Makes months of the log ahead of time, so that the first record of one never waits for its partition. */
@Injectable()
export class MonthKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.audit');
  private timer: NodeJS.Timeout | undefined;
  private making: Promise<void> = Promise.resolve();

  constructor(private readonly keeping: EvidenceKeeping) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.make(), EVERY);
    this.timer.unref();
    this.make();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.making;
  }

  // Where it fails, whoever writes the first record of a month makes it.
  private make(): void {
    this.making = this.keeping.ensureMonths(AHEAD).catch((error: unknown) => {
      this.logger.warn(`Months of evidence could not be made ahead: ${describeError(error)}.`);
    });
  }
}

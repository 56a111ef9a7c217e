import type { EvidenceLog } from '../contracts/ports/evidence.log.js';

const EVERY = 10_000;
const LOST_AFTER = 3 * EVERY;

/** Says every ten seconds that this process still writes, and gives up those that have not said so for thirty. */
export class Heartbeat {
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | undefined;

  constructor(
    private readonly log: EvidenceLog,
    private readonly onLost: (writers: readonly string[]) => void,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.beating ??= this.beat().catch(this.onFailure);
    }, EVERY).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }

  private async beat(): Promise<void> {
    try {
      await this.log.beat();
      const lost = await this.log.markLost(LOST_AFTER);
      if (lost.length > 0) this.onLost(lost);
    } finally {
      this.beating = undefined;
    }
  }
}

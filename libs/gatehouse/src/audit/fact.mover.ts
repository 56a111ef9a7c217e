import { setTimeout as pause } from 'node:timers/promises';
import type { EvidenceLog, WaitingFacts } from '../contracts/ports/evidence.log.js';

const MOST = 500;
// What several transactions leave within a moment is one batch.
const GATHER = 5;

/**
 * Moves facts into the log: at once when this process has left some, and every now and then for those of others. Facts are committed already; what
 * cannot be moved now is moved later, by whoever comes next.
 */
export class FactMover {
  /** As of the last look. */
  last: WaitingFacts = { waiting: 0, oldestMs: 0 };
  private moving: Promise<void> | undefined;
  private asked = false;
  private stopped = false;
  private timer: NodeJS.Timeout | undefined;
  private gathering: NodeJS.Timeout | undefined;
  private readonly forget: () => void;

  constructor(
    private readonly log: EvidenceLog,
    private readonly onFailure: (error: unknown) => void,
    private readonly onRefused: (facts: number) => void,
  ) {
    this.forget = log.onFacts(() => this.nudge());
  }

  start(everyMs: number): void {
    this.timer = setInterval(() => this.nudge(), everyMs).unref();
  }

  /** There may be facts. */
  nudge(): void {
    this.asked = true;
    if (this.stopped || this.moving !== undefined) return;
    this.gathering ??= setTimeout(() => {
      this.moving ??= this.move().catch(this.onFailure);
    }, GATHER).unref();
  }

  /** Resolves once no fact waits that this process may move. @throws StorageUnavailableError */
  async flush(): Promise<void> {
    await this.moving;
    await this.move();
  }

  /** How many wait now. @throws StorageUnavailableError */
  async look(): Promise<WaitingFacts> {
    this.last = await this.log.waitingFacts();
    return this.last;
  }

  /** Nothing is moved any more; resolves when what is under way is over. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.timer);
    this.forgetNudges();
    this.forget();
    await this.moving;
  }

  private forgetNudges(): void {
    this.asked = false;
    clearTimeout(this.gathering);
    this.gathering = undefined;
  }

  private async move(): Promise<void> {
    try {
      for (let full = true; full || this.asked;) {
        if (!full) await pause(GATHER);
        this.forgetNudges();
        const { moved, refused } = await this.log.moveFacts(MOST);
        if (refused > 0) this.onRefused(refused);
        full = moved >= MOST;
      }
    } finally {
      this.moving = undefined;
    }
  }
}

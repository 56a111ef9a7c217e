import { setTimeout as pause } from 'node:timers/promises';
import type { Random } from './random.js';
import type { ServerPair } from './server.pair.js';

/** When, counted in calls that asked, which server is killed, and for how long it stays down. */
interface Kill {
  readonly after: number;
  readonly server: number;
  readonly delay: number;
  readonly down: number;
}

/** Kills servers at moments drawn from the seed and starts them again; one may go while the other is still down. */
export class Killer {
  private readonly plan: readonly Kill[];
  private readonly restarts = [Promise.resolve(), Promise.resolve()];

  constructor(
    private readonly pair: ServerPair,
    random: Random,
    { kills, calls }: { readonly kills: number; readonly calls: number },
  ) {
    this.plan = Array.from({ length: kills }, () => ({
      after: random.below(Math.max(1, Math.floor(calls * 0.9))),
      server: random.below(2),
      delay: random.below(150),
      down: random.below(500),
    })).toSorted((one, other) => one.after - other.after);
  }

  /** `asked`: how many calls have asked so far. Resolves once all kills are over and both servers are up. */
  async work(asked: () => number): Promise<void> {
    for (const { after, server, delay, down } of this.plan) {
      while (asked() <= after) await pause(20);
      await this.restarts[server];
      await pause(delay);
      const victim = this.pair.server(server);
      await victim.kill();
      const restarted = pause(down).then(() => victim.start());
      // Thrown where it is awaited.
      restarted.catch(() => undefined);
      this.restarts[server] = restarted;
    }
    await Promise.all(this.restarts);
  }
}

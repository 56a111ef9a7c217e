import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Clock } from '../contracts/clock.js';
import { StorageUnavailableError } from '../contracts/errors/storage-unavailable.error.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';

const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1_000;
const LONGEST_WAIT = 15_000;

/** A database that goes away may come back: what a run reads and writes waits for it, while its lease surely holds. Writes are idempotent. */
@Injectable()
export class PersistencePatience {
  constructor(
    private readonly clock: Clock,
    private readonly options: ResolvedOptions,
  ) {}

  readonly outlast = async <T>(write: () => Promise<T>): Promise<T> => {
    const until = this.clock.monotonic() + Math.min(this.options.runs.lease / 4, LONGEST_WAIT);
    for (let pause = FIRST_PAUSE; ; pause = Math.min(pause * 2, LONGEST_PAUSE)) {
      try {
        return await write();
      } catch (error) {
        if (!(error instanceof StorageUnavailableError) || this.clock.monotonic() + pause > until) throw error;
        await sleep(pause);
      }
    }
  };
}

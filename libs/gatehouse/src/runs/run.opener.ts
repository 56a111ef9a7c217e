import { Injectable } from '@nestjs/common';
import { Clock } from '../contracts/clock.js';
import { RunReader } from '../contracts/ports/run.reader.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { StoredRun } from '../contracts/ports/stored.run.js';
import { Wakeup } from '../contracts/ports/wakeup.js';
import { asError } from '../operations/passage.js';
import { Redactor } from '../values/redactor.js';
import { KeptFailures } from './kept.failures.js';
import { LiveRun, type LiveParts } from './live.run.js';
import { PersistencePatience } from './persistence.patience.js';
import { RecentFrames } from './recent.frames.js';
import { RunLease } from './run.lease.js';
import { RunLog } from './run.log.js';
import { WritePace } from './write.pace.js';

const BATCH = 500;

/** Everything a live run needs that its request knows. */
export type OpeningParts = Pick<
  LiveParts,
  'segment' | 'roles' | 'offered' | 'output' | 'limits' | 'admit' | 'cancellation' | 'above' | 'unprepared'
>;

/** Makes a live run of a stored one that this process owns: its history, its log, its lease. */
@Injectable()
export class RunOpener {
  constructor(
    private readonly store: RunStore,
    private readonly reader: RunReader,
    private readonly wakeup: Wakeup,
    private readonly lease: RunLease,
    private readonly patience: PersistencePatience,
    private readonly clock: Clock,
    private readonly failures: KeptFailures,
    private readonly redactor: Redactor,
    private readonly recent: RecentFrames,
    private readonly pace: WritePace,
  ) {}

  /** When the request is sent that makes this process the owner: the lease counts from here. */
  now(): number {
    return this.clock.monotonic();
  }

  async open(stored: StoredRun, parts: OpeningParts, ownedSince: number): Promise<LiveRun> {
    const messages = await this.patience.outlast(() => this.reader.messages(stored.threadId));
    const live: LiveRun = new LiveRun(stored, {
      ...parts,
      messages,
      failures: this.failures.take(stored.id),
      redactor: this.redactor,
      checkLease: (run) => this.lease.check(run),
      log: (run) => this.log(run),
    });
    this.lease.hold(live, ownedSince);
    return live;
  }

  /** Of a run whose process is gone: what that one left open in its stream, and the results that it told. */
  async recall({ runId, log, stored, resultsTold }: LiveRun): Promise<void> {
    for (let after = 0; after < stored.lastSeq;) {
      const from = after;
      const { frames } = await this.patience.outlast(() => this.reader.frames(runId, from, BATCH));
      log.recall(frames);
      for (const { event } of frames) {
        if (event.type !== 'tool.result') continue;
        const { operationId, status, outcome, content } = event;
        resultsTold.set(operationId, { status, outcome, content });
      }
      after = frames.at(-1)?.seq ?? stored.lastSeq;
    }
  }

  close(live: LiveRun): void {
    this.lease.release(live);
    this.recent.leave(live.runId);
    if (live.suspendedFor !== undefined) this.failures.keep(live.runId, live.ledger.failedOperations);
  }

  private log(live: LiveRun): RunLog {
    const { runId, epoch } = live;
    const broken = (error: unknown) => live.cancellation.stop(asError(error));
    return new RunLog(
      { runId, epoch },
      live.stored.lastSeq,
      this.store,
      this.wakeup,
      this.recent,
      this.pace,
      this.patience.outlast,
      broken,
    );
  }
}

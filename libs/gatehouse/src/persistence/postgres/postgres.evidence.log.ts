import { setTimeout as pause } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import type { LedgerEntry } from '../../contracts/ledger.js';
import {
  EvidenceLog,
  type Appended,
  type MovedFacts,
  type WaitingFacts,
  type WritingProcess,
} from '../../contracts/ports/evidence.log.js';
import { writerEntry } from '../../values/ledger/writer.entry.js';
import { within } from '../../values/within.js';
import type { Database } from './database.js';
import { driverError, isConnectionLoss } from './driver.errors.js';
import { FactMoving } from './ledger/fact.moving.js';
import { LedgerLane } from './ledger/ledger.lane.js';
import { LedgerPool } from './ledger/ledger.pool.js';
import type { LedgerSession } from './ledger/ledger.session.js';
import { WriterRows } from './ledger/writer.rows.js';

const DEADLINE = 5000;
const RETRY_AFTER = 50;

/** The sealed log in Postgres, on connections of its own: two lanes for records, one for facts. */
export class PostgresEvidenceLog extends EvidenceLog {
  override readonly lanes = 2;
  private readonly logger = new Logger('gatehouse.audit');
  private readonly pool: LedgerPool;
  private readonly rows: WriterRows;
  private readonly records: readonly LedgerLane[];
  private readonly facts: LedgerLane;
  private process: WritingProcess | undefined;

  /** @param deadlineMs how long one batch may take, whatever the database is doing */
  constructor(
    private readonly database: Database,
    deadlineMs = DEADLINE,
  ) {
    super();
    this.pool = new LedgerPool(database.dataSource.options, this.lanes + 1, deadlineMs);
    this.rows = new WriterRows(database.tables);
    this.records = Array.from({ length: this.lanes }, () => this.lane());
    this.facts = this.lane();
  }

  override open(process: WritingProcess): void {
    this.process = process;
  }

  override append(entries: readonly LedgerEntry[], lane = 0): Promise<Appended> {
    const one = this.records[lane];
    if (one === undefined)
      throw new RangeError(`The log has lanes 0 to ${this.lanes - 1}, and none of number ${lane}.`);
    return this.outward('append evidence', () => one.append(entries));
  }

  override moveFacts(most = 500): Promise<MovedFacts> {
    return this.outward('move facts into the evidence', () =>
      this.facts.exclusively((session) => new FactMoving(this.facts, session, now).move(most)),
    );
  }

  override onFacts(listener: () => void): () => void {
    return this.database.facts.listen(listener);
  }

  override waitingFacts(): Promise<WaitingFacts> {
    return this.outward('count the facts that wait', () =>
      this.pool.session((session) => this.rows.waitingFacts(session)),
    );
  }

  override async beat(): Promise<void> {
    const lanes = this.openLanes();
    if (lanes.length === 0) return;
    const writers = lanes.map(({ numbers }) => ({ writerId: numbers.writerId, lastSeq: numbers.last }));
    const known = await this.outward('say that it writes evidence', () =>
      this.pool.session((session) => this.rows.beat(session, writers)),
    );
    for (const lane of lanes) {
      const { writerId } = lane.numbers;
      if (known.includes(writerId) || !writers.some((writer) => writer.writerId === writerId)) continue;
      this.logger.warn(`Evidence writer ${writerId} was given up as lost: this process goes on as a new one.`);
      await lane.exclusively(() => Promise.resolve(lane.numbers.renew()));
    }
  }

  override markLost(silentMs: number): Promise<readonly string[]> {
    return this.outward('look for writers that are lost', () =>
      this.pool.session((session) => this.rows.markLost(session, silentMs)),
    );
  }

  override async close(withinMs: number): Promise<void> {
    const started = Date.now();
    const lanes = Promise.allSettled(this.openLanes().map((lane) => this.closeLane(lane)));
    await within(lanes, withinMs, () => new Error('late')).catch(() => undefined);
    await this.pool.close(Math.max(1, withinMs - (Date.now() - started)));
  }

  private openLanes(): readonly LedgerLane[] {
    return this.process === undefined ? [] : [...this.records, this.facts].filter(({ isOpen }) => isOpen);
  }

  private async closeLane(lane: LedgerLane): Promise<void> {
    const { writerId, last } = lane.numbers;
    await lane.append([writerEntry('closed', writerId, last + 1, now())]);
    await lane.exclusively((session) => this.rows.close(session, { writerId, lastSeq: lane.numbers.last }));
  }

  private lane(): LedgerLane {
    const { tables, schema } = this.database;
    return new LedgerLane(this.pool, tables, schema, (session, writerId) => this.announce(session, writerId));
  }

  private async announce(session: LedgerSession, writerId: string): Promise<LedgerEntry | undefined> {
    if (this.process === undefined) return undefined;
    await this.rows.open(session, writerId, this.process);
    return writerEntry('opened', writerId, null, now());
  }

  // Once more after a lost connection: the pool has others, or makes one.
  private async outward<T>(action: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work().catch(async (error: unknown) => {
        if (!isConnectionLoss(error)) throw error;
        await pause(RETRY_AFTER);
        return work();
      });
    } catch (error) {
      throw new StorageUnavailableError(action, { cause: driverError(error) });
    }
  }
}

const now = (): Date => new Date();

import { hostname } from 'node:os';
import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { AuditEvent } from '../contracts/audit.event.js';
import { AuditUnavailableError } from '../contracts/errors/audit-unavailable.error.js';
import type { LedgerEntry } from '../contracts/ledger.js';
import type { OperationRecord } from '../contracts/operation.record.js';
import { EvidenceLog } from '../contracts/ports/evidence.log.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { executionEntry } from '../values/ledger/execution.entry.js';
import { operationEntry } from '../values/ledger/operation.entry.js';
import { VERSION } from '../values/version.js';
import { within } from '../values/within.js';
import { EvidenceLanes } from './evidence.lanes.js';
import { FactMover } from './fact.mover.js';
import { failureText } from './failure.text.js';
import { Heartbeat } from './heartbeat.js';
import { QuietLogger } from './quiet.logger.js';

const POLL = 1000;
const FLUSH = 10_000;
// What a shutdown may still take when its deadline has passed: to say that it ends, and to let go of connections.
const LAST_WORDS = 1000;

/**
 * The one way of this process into the evidence: queues records, and writes what queued meanwhile as one batch (group commit); moves the facts that
 * working state left behind. A submit costs no wait and no timer. What cannot be written yet waits, bounded; what finds no room is counted, logged, and
 * told of in a `gap` record once there is room again.
 */
@Injectable()
export class EvidenceWriter implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  readonly lanes: EvidenceLanes;
  readonly facts: FactMover;
  private readonly logger = new Logger('gatehouse.audit');
  private readonly quiet = new QuietLogger(this.logger);
  private readonly heart: Heartbeat;
  private draining: Promise<void> | undefined;
  private closing: Promise<void> | undefined;
  private ending = 0;

  constructor(
    private readonly log: EvidenceLog,
    private readonly options: ResolvedOptions,
  ) {
    log.open({ host: hostname(), pid: process.pid, version: VERSION });
    this.lanes = new EvidenceLanes(log, options.audit.queue, this.logger, this.quiet);
    this.facts = new FactMover(
      log,
      (error) => this.quiet.warn('facts', `Facts wait to be sealed: ${failureText(error)}`),
      (facts) => this.lanes.factsRefused(facts),
    );
    this.heart = new Heartbeat(
      log,
      (writers) => this.logger.warn(`Evidence writers are lost, with what they had queued: ${writers.join(', ')}.`),
      (error) => this.quiet.warn('heartbeat', `The evidence writer cannot say that it is alive: ${failureText(error)}`),
    );
  }

  /** Records that could not be stored, those that found the queue full included, since the start. */
  get losses(): number {
    return this.lanes.counters.lost;
  }

  /** Records that are not written yet. */
  get waiting(): number {
    return this.lanes.waiting;
  }

  submitExecution(event: AuditEvent): void {
    this.submit(executionEntry(event));
  }

  submitOperation(record: OperationRecord): void {
    this.submit(operationEntry(record));
  }

  /** Queues a record, best effort. Never throws. */
  submit(entry: LedgerEntry): void {
    this.lanes.add(entry);
  }

  /**
   * Resolves once the record is committed.
   *
   * @param deadlineMs how long that may take
   * @throws AuditUnavailableError when it is not: in time, for want of room, or because the log refuses it. After a deadline it may still be
   * written later
   */
  async submitDurably(entry: LedgerEntry, deadlineMs: number): Promise<void> {
    try {
      const committed = new Promise<void>((resolve, reject) => {
        // Whatever it was, one error says so below.
        this.lanes.add(entry, (failure) => (failure === undefined ? resolve() : reject(failure)));
      });
      await within(committed, deadlineMs, () => new Error(`no commit within ${deadlineMs} ms`));
    } catch (error) {
      throw new AuditUnavailableError(
        `A record of kind '${entry.record.kind}' is not known to be in the evidence. Check the database and EvidenceHealth, then try again.`,
        { cause: error },
      );
    }
  }

  /**
   * Resolves when everything submitted so far is written, and the facts of this process are sealed.
   *
   * @throws AuditUnavailableError when that takes longer; nothing is given up for it
   */
  async flush(withinMs = FLUSH): Promise<void> {
    try {
      await within(this.settled(), withinMs, () => new Error(`not within ${withinMs} ms`));
    } catch (error) {
      throw new AuditUnavailableError(
        `The evidence could not be flushed; ${this.waiting} records and the facts go on waiting. Check the database.`,
        { cause: error },
      );
    }
  }

  onApplicationBootstrap(): void {
    this.facts.start(POLL);
    this.heart.start();
  }

  /** Writes what is left, for at most `runs.drain`; runs that end meanwhile hand in theirs. */
  beforeApplicationShutdown(): Promise<void> {
    return this.drained();
  }

  /** The same, for whoever has to come after it in a shutdown. */
  drained(): Promise<void> {
    return (this.draining ??= this.drain());
  }

  /** Writes what came since, says that this writer ends, and lets go of its connections. Nothing is left running. */
  onApplicationShutdown(): Promise<void> {
    return this.closed();
  }

  /** The same, for whoever seals what was written last. */
  closed(): Promise<void> {
    return (this.closing ??= this.close());
  }

  private async close(): Promise<void> {
    const left = Math.max(this.ending - Date.now(), 1);
    await this.flush(left).catch(() => undefined);
    this.lanes.close();
    const { waiting } = this.lanes;
    if (waiting > 0) {
      this.logger.error(`${waiting} evidence records were not written before the shutdown; they are lost.`);
    }
    const stopped = Promise.all([this.facts.stop(), this.heart.stop(), this.lanes.idle()]);
    await within(stopped, LAST_WORDS, () => new Error('late')).catch(() => undefined);
    await this.log.close(LAST_WORDS);
  }

  private async drain(): Promise<void> {
    const { drain } = this.options.runs;
    this.ending = Date.now() + drain;
    await this.flush(drain).catch(() => undefined);
  }

  private async settled(): Promise<void> {
    await this.lanes.idle();
    await this.facts.flush();
  }
}

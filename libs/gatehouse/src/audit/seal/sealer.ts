import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { IntegrityError } from '../../contracts/errors/integrity.error.js';
import { MalformedEvidenceError } from '../../contracts/errors/malformed-evidence.error.js';
import { UntrustedEvidenceError } from '../../contracts/errors/untrusted-evidence.error.js';
import { SealStore, type StoredCheckpoint } from '../../contracts/ports/seal.store.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { describeError } from '../../values/error-text.js';
import { newId } from '../../values/ids.js';
import { LONGEST_TIMER } from '../../values/timers.js';
import { EvidenceWriter } from '../evidence.writer.js';
import { SealAnchors } from './seal.anchors.js';
import { SealedLog } from './sealed.log.js';
import { SealKeys } from './seal.keys.js';

const BATCHES = 1000;

/**
 * Seals what the writers of all processes have committed: appends their batches to one log and signs its head, at least every
 * `audit.seal.interval` when there is news. One process at a time does it; when that one dies, another takes over.
 */
@Injectable()
export class Sealer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('gatehouse.seal');
  private readonly anchors: SealAnchors;
  private log: SealedLog | undefined;
  private timer: NodeJS.Timeout | undefined;
  private rounds: Promise<void> = Promise.resolve();
  private published = -1;
  private ending = false;
  private refusal: string | undefined;

  constructor(
    private readonly store: SealStore,
    private readonly keys: SealKeys,
    private readonly writer: EvidenceWriter,
    private readonly options: ResolvedOptions,
  ) {
    this.anchors = new SealAnchors(options.audit.seal?.anchors ?? []);
  }

  onApplicationBootstrap(): void {
    const { persistence, audit } = this.options;
    if (persistence === undefined || audit.seal === undefined) return;
    if (this.keys.signers.length === 0) {
      this.logger.warn(
        "Evidence is not signed: set audit.seal.key, or provide a Signer ('npx --no-install gatehouse keygen' makes a key).",
      );
      return;
    }
    this.timer = setInterval(() => void this.seal(), Math.min(audit.seal.interval, LONGEST_TIMER));
    this.timer.unref();
    void this.seal();
  }

  /** The newest checkpoint this process has seen committed, while it leads. */
  get checkpoint(): StoredCheckpoint | undefined {
    return this.log?.checkpoint;
  }

  /** Seals what is there. Never throws. */
  seal(): Promise<void> {
    this.rounds = this.rounds.then(() => this.round());
    return this.rounds;
  }

  /** Seals what the writer has written last, that it ends included. */
  async onApplicationShutdown(): Promise<void> {
    if (this.timer === undefined) return;
    clearInterval(this.timer);
    this.ending = true;
    await this.writer.closed();
    await this.seal();
    await this.log?.release();
  }

  private async round(): Promise<void> {
    try {
      this.log ??= await this.open();
      if (this.log === undefined) return;
      while ((await this.log.sealNew(BATCHES)) === BATCHES);
      await this.publish(this.log);
      if (!this.ending) this.beat(this.log.checkpoint);
      this.refusal = undefined;
    } catch (error) {
      await this.giveUp(error);
    }
  }

  private async open(): Promise<SealedLog | undefined> {
    const lead = await this.store.lead();
    if (lead === undefined) return undefined;
    try {
      const log = await SealedLog.open(lead, this.keys.origin, this.keys.signers);
      await this.anchors.refuseRollback(log.checkpoint?.treeSize ?? 0);
      return log;
    } catch (error) {
      await lead.release();
      throw error;
    }
  }

  private async publish(log: SealedLog): Promise<void> {
    const { checkpoint } = log;
    if (checkpoint === undefined || checkpoint.treeSize === this.published) return;
    await this.anchors.publish(checkpoint, log);
    this.published = checkpoint.treeSize;
  }

  // A record of its own, so that even the time in which nothing happened is sealed.
  private beat(checkpoint: StoredCheckpoint | undefined): void {
    const heartbeat = this.options.audit.seal?.heartbeat ?? 0;
    const now = new Date();
    if (checkpoint === undefined || now.getTime() - checkpoint.createdAt.getTime() < heartbeat) return;
    this.writer.submit({ record: { id: newId(), kind: 'writer', at: now, status: 'heartbeat' }, payload: null });
  }

  // What was tried last may or may not have been committed: whoever leads next reads it.
  private async giveUp(error: unknown): Promise<void> {
    await this.log?.release();
    this.log = undefined;
    const words = describeError(error);
    if (this.refusal === words) return;
    this.refusal = words;
    const isSerious =
      error instanceof IntegrityError ||
      error instanceof UntrustedEvidenceError ||
      error instanceof MalformedEvidenceError;
    if (isSerious) this.logger.error(`Nothing more is sealed: ${words}`);
    else this.logger.warn(`Sealing failed and is tried again: ${words}`);
  }
}

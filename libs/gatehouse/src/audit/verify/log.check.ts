import type { LedgerSnapshot, ProofReader } from '../../contracts/ports/ledger.reader.js';
import type { StoredCheckpoint } from '../../contracts/ports/seal.store.js';
import { headerData } from '../../values/ledger/batch.header.js';
import { instantOf } from '../../values/ledger/batch.preparation.js';
import type { TrustedLog } from '../../values/transparency/checkpoint.js';
import { leafHash } from '../../values/transparency/merkle.tree.js';
import { CheckpointChain } from './checkpoint.chain.js';
import type { Findings } from './findings.js';
import { LeafFold } from './leaf.fold.js';
import type { Pin } from './log.anchors.js';
import { checkSubtrees } from './subtree.check.js';
import type { VerifiedState } from './verified.state.js';
import type { VerifyProgress } from './verify.options.js';

const PAGE = 2000;
const TELL_EVERY = 1000;
const NEVER = new Date(0);

/** What there is to know of the global log. */
export interface CheckedLog {
  readonly size: number;
  readonly root: Buffer;
  readonly checkpoints: number;
  readonly pinnedSize: number;
  /** How old the first batch beyond the pin is, by all that tells: each instant must be young. Empty where there is none. */
  readonly unpinnedSince: readonly Date[];
  /** The number of the last batch of each writer. */
  readonly lastOfWriters: ReadonlyMap<string, number>;
  readonly newestId: string | undefined;
  /** Where a later verification may go on; nothing where the log does not hold. */
  readonly state: VerifiedState | undefined;
}

/** What the check of the global log is to do. */
export interface LogCheckOptions {
  readonly log: TrustedLog;
  /** By size. */
  readonly pins: readonly Pin[];
  readonly since: VerifiedState | undefined;
  /** Whether each leaf is held against the header it stands for. */
  readonly withHeaders: boolean;
  /** Whether records are checked, too: what they say may be believed. */
  readonly withRows: boolean;
  readonly total: number;
  readonly onProgress: (progress: VerifyProgress) => void;
}

/** What of a snapshot the check of the log reads. */
type LogSnapshot = LedgerSnapshot & Pick<ProofReader, 'latestCheckpoint'>;

/** Checks the global log: every checkpoint's signature, and that each stands for what is stored, one a continuation of the one before. */
export class LogCheck {
  private readonly fold: LeafFold;
  private readonly chain: CheckpointChain;
  /** The anchors that are still to come. */
  private readonly pins: Pin[];
  private readonly pinnedSize: number;
  private unpinnedSince: Date | undefined;

  constructor(
    private readonly snapshot: LogSnapshot,
    private readonly findings: Findings,
    private readonly options: LogCheckOptions,
  ) {
    const { since, pins, log } = options;
    this.fold = new LeafFold(findings, options.withHeaders, since);
    this.chain = new CheckpointChain(findings, log);
    this.pins = pins.filter(({ size }) => size >= this.fold.start);
    this.pinnedSize = Math.max(this.pins.at(-1)?.size ?? 0, since?.size ?? 0);
  }

  async check(): Promise<CheckedLog> {
    const { fold, chain, findings } = this;
    await this.checkCheckpoints();
    const size = chain.end() || ((await this.snapshot.latestCheckpoint())?.treeSize ?? 0);
    await this.readTo(Number.MAX_SAFE_INTEGER);
    fold.end(size);
    await this.checkRollback(size);
    await checkSubtrees(this.snapshot, findings, fold);
    const holds = fold.broken === undefined && findings.faultCount === 0;
    return {
      size,
      root: fold.root,
      checkpoints: chain.count,
      pinnedSize: Math.min(size, this.pinnedSize),
      unpinnedSince: size > this.pinnedSize ? [this.unpinnedSince ?? NEVER, await this.firstUnpinned()] : [],
      lastOfWriters: fold.lastOfWriters,
      newestId: fold.newestId,
      state: holds ? fold.state() : undefined,
    };
  }

  // When a checkpoint was signed is not sealed, and so whatever somebody wrote there; the records under it are. An operation that waited for a
  // person has an old id when it is over: where records are checked, they say when that was.
  private async firstUnpinned(): Promise<Date> {
    const ids: string[] = [];
    await this.snapshot.leaves(this.pinnedSize, this.pinnedSize + 1, true, ({ header, hash }) => {
      if (header === undefined || !leafHash(headerData(header)).equals(hash)) return;
      ids.push(header.firstId, header.lastId);
    });
    const instants = ids.map(instantOf);
    if (this.options.withRows && ids.length > 0) instants.push((await this.snapshot.latestAt(ids)) ?? NEVER);
    return new Date(Math.max(0, ...instants.map((instant) => instant.getTime())));
  }

  private async checkCheckpoints(): Promise<void> {
    // Where an earlier verification ended there was a checkpoint: it must still be there.
    for (let above = this.fold.start - 1; ;) {
      const page = await this.snapshot.checkpoints(above, PAGE);
      for (const checkpoint of page) await this.checkCheckpoint(checkpoint);
      above = page.at(-1)?.treeSize ?? above;
      if (page.length < PAGE) return;
    }
  }

  private async checkCheckpoint(checkpoint: StoredCheckpoint): Promise<void> {
    const { treeSize, createdAt } = checkpoint;
    await this.checkPins(treeSize);
    await this.readTo(treeSize);
    const root = this.chain.next(checkpoint);
    if (treeSize > this.pinnedSize) this.unpinnedSince ??= createdAt;
    const holdsSoFar = this.fold.broken === undefined;
    this.fold.matches(treeSize, root, 'the signed checkpoint');
    if (holdsSoFar && this.fold.broken === 'root') await this.nameLeaves(treeSize);
  }

  private async checkPins(until: number): Promise<void> {
    for (let [pin] = this.pins; pin !== undefined && pin.size <= until; [pin] = this.pins) {
      await this.readTo(pin.size);
      this.fold.matches(pin.size, pin.root, `the anchor '${pin.name}'`);
      this.pins.shift();
    }
  }

  private async readTo(until: number): Promise<void> {
    if (until <= this.fold.next) return;
    const { withHeaders, total, onProgress } = this.options;
    await this.snapshot.leaves(this.fold.next, until, withHeaders, (leaf) => {
      this.fold.add(leaf);
      if (leaf.index % TELL_EVERY === 0) onProgress({ what: 'batches of the log', done: leaf.index, total });
    });
  }

  private async checkRollback(size: number): Promise<void> {
    for (const { name, size: known } of this.pins) this.refuseSmaller(size, known, `The anchor '${name}'`);
    this.refuseSmaller(size, await this.snapshot.anchoredSize(), 'The table of anchors');
    this.refuseSmaller(size, this.options.since?.size ?? 0, 'The earlier verification');
  }

  private refuseSmaller(size: number, known: number, who: string): void {
    if (known <= size) return;
    this.findings.fault(
      'log rolled back',
      { logIndex: size, treeSize: known },
      `${who} knows a log of ${known} batches, the database has ${size}: the newest were cut off, or an older copy was restored.`,
    );
  }

  // Which of the leaves it is cannot be computed from two roots; who wrote them can be asked.
  private async nameLeaves(until: number): Promise<void> {
    const from = this.fold.goodSize;
    const later = await this.snapshot.laterLeaves(from, until);
    // In a database that was restored from a dump, all are.
    if (later.length === until - from && later.length > 1) return;
    for (const { index, writerId, seq } of later) {
      this.findings.fault(
        'header changed',
        { logIndex: index, writerId, seq },
        `Leaf ${index} was written by another transaction than the checkpoint over it.`,
        { certainty: 'likely' },
      );
    }
  }
}

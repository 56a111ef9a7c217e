import type { LedgerSnapshot } from '../../contracts/ports/ledger.reader.js';
import type { StoredCheckpoint } from '../../contracts/ports/seal.store.js';
import type { TrustedLog } from '../../values/transparency/checkpoint.js';
import { CheckpointChain } from './checkpoint.chain.js';
import type { Findings } from './findings.js';
import { LeafFold } from './leaf.fold.js';
import type { Pin } from './log.anchors.js';
import { checkSubtrees } from './subtree.check.js';
import type { VerifiedState } from './verified.state.js';
import type { VerifyProgress } from './verify.options.js';

const PAGE = 2000;
const END = 2 ** 53;

/** What there is to know of the global log. */
export interface CheckedLog {
  readonly size: number;
  readonly root: Buffer;
  readonly checkpoints: number;
  readonly pinnedSize: number;
  /** When the first checkpoint beyond the pin was signed; nothing where there is none. */
  readonly unpinnedSince: Date | undefined;
  readonly newestId: string | undefined;
  /** Where a later verification may go on; nothing where the log does not hold. */
  readonly state: VerifiedState | undefined;
}

/** What the check of the global log is to do. */
export interface LogCheckOptions {
  readonly log: TrustedLog;
  readonly pins: readonly Pin[];
  readonly since: VerifiedState | undefined;
  /** Whether each leaf is held against the header it stands for. */
  readonly withHeaders: boolean;
  readonly total: number;
  readonly onProgress: (progress: VerifyProgress) => void;
}

/** Checks the global log: every checkpoint's signature, and that each stands for what is stored, one a continuation of the one before. */
export async function checkLog(
  snapshot: LedgerSnapshot,
  findings: Findings,
  options: LogCheckOptions,
): Promise<CheckedLog> {
  const fold = new LeafFold(findings, options.withHeaders, options.since);
  const chain = new CheckpointChain(findings, options.log, fold.size);
  const pins = options.pins.filter(({ size }) => size >= fold.size);
  const readTo = (until: number): Promise<void> =>
    snapshot.leaves(fold.next, until, options.withHeaders, (leaf) => {
      fold.add(leaf);
      if (leaf.index % 1000 === 0)
        options.onProgress({ what: 'batches of the log', done: leaf.index, total: options.total });
    });
  let unpinnedSince: Date | undefined;
  const covered = pins.at(-1)?.size ?? options.since?.size ?? 0;
  const pinned = new Set<Pin>();
  const checkPins = async (until: number): Promise<void> => {
    for (const pin of pins) {
      if (pin.size > until || pinned.has(pin)) continue;
      await readTo(pin.size);
      pinned.add(pin);
      fold.matches(pin.size, pin.root, { treeSize: pin.size }, `the anchor '${pin.name}'`);
    }
  };
  for (let above = fold.size - (fold.size > 0 ? 1 : 0), page: readonly StoredCheckpoint[]; ;) {
    page = await snapshot.checkpoints(above, PAGE);
    for (const checkpoint of page) {
      await checkPins(checkpoint.treeSize);
      await readTo(checkpoint.treeSize);
      const signed = chain.next(checkpoint);
      if (checkpoint.treeSize > covered) unpinnedSince ??= checkpoint.createdAt;
      const wasGood = fold.broken === undefined;
      fold.matches(checkpoint.treeSize, signed.root, { treeSize: checkpoint.treeSize }, 'the signed checkpoint');
      if (wasGood && fold.broken === 'root') await nameLeaves(snapshot, findings, fold.goodSize, checkpoint.treeSize);
    }
    above = page.at(-1)?.treeSize ?? above;
    if (page.length < PAGE) break;
  }
  const size = chain.end();
  await readTo(END);
  fold.end(size);
  await checkPins(size);
  for (const pin of pins) {
    if (pin.size > size) rolledBack(findings, `The anchor '${pin.name}'`, pin.size, size);
  }
  const noted = await snapshot.anchoredSize();
  if (noted > size) rolledBack(findings, 'The table of anchors', noted, size);
  if (options.since !== undefined && options.since.size > size)
    rolledBack(findings, 'The earlier verification', options.since.size, size);
  await checkSubtrees(snapshot, findings, fold);
  const holds = fold.broken === undefined && findings.faultCount === 0;
  return {
    size,
    root: fold.root,
    checkpoints: chain.count,
    pinnedSize: Math.min(size, Math.max(covered, options.since?.size ?? 0)),
    unpinnedSince,
    newestId: fold.newestId,
    state: holds ? fold.state() : undefined,
  };
}

function rolledBack(findings: Findings, who: string, known: number, size: number): void {
  findings.fault(
    'log rolled back',
    { logIndex: size, treeSize: known },
    `${who} knows a log of ${known} batches, the database has ${size}: the newest were cut off, or an older copy was restored.`,
  );
}

// Which of the leaves it is cannot be computed from two roots; who wrote them can be asked.
async function nameLeaves(snapshot: LedgerSnapshot, findings: Findings, from: number, until: number): Promise<void> {
  for (const { index, writerId, seq } of await snapshot.laterLeaves(from, until)) {
    findings.fault(
      'header changed',
      { logIndex: index, writerId, seq },
      `Leaf ${index} was written by another transaction than the checkpoint over it.`,
      { certainty: 'likely' },
    );
  }
}

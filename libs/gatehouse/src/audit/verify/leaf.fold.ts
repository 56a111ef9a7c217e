import type { StoredLeaf } from '../../contracts/ports/ledger.reader.js';
import { headerData } from '../../values/ledger/batch.header.js';
import {
  appendTo,
  EMPTY_RANGE,
  frontierBytes,
  rangeOf,
  rootOfRange,
  type CompactRange,
} from '../../values/transparency/compact.range.js';
import { leafHash } from '../../values/transparency/merkle.tree.js';
import type { Findings } from './findings.js';
import type { VerifiedState } from './verified.state.js';

const CHUNK = 4096;

/** Folds the stored leaves of the global log, and holds each against its header and its place in the order of its writer. */
export class LeafFold {
  /** Why roots cannot be compared any more. */
  broken: 'hole' | 'root' | undefined;
  /** The largest size at which a root was right. */
  goodSize: number;
  /** The index of the leaf that comes next. */
  next: number;
  newestId: string | undefined;
  /** Subtrees that are stored, by level and index. */
  readonly completed = new Map<string, Uint8Array>();
  readonly start: number;
  private range: CompactRange;
  private waiting: Uint8Array[] = [];
  private readonly writers: Map<string, number>;

  constructor(
    private readonly findings: Findings,
    private readonly withHeaders: boolean,
    since: VerifiedState | undefined,
  ) {
    this.range = since === undefined ? EMPTY_RANGE : rangeOf(since.size, Buffer.from(since.frontier, 'base64'));
    this.writers = new Map(Object.entries(since?.writers ?? {}));
    this.start = this.goodSize = this.next = this.range.size;
  }

  /** How many leaves there are so far. */
  get size(): number {
    return this.range.size + this.waiting.length;
  }

  get root(): Buffer {
    this.flush();
    return rootOfRange(this.range);
  }

  /** The number of the last batch of each writer. */
  get lastOfWriters(): ReadonlyMap<string, number> {
    return this.writers;
  }

  add(leaf: StoredLeaf): void {
    if (leaf.index !== this.next) this.hole(leaf.index);
    this.next = leaf.index + 1;
    this.inOrder(leaf);
    if (this.withHeaders) this.asHeader(leaf);
    this.waiting.push(leaf.hash);
    if (this.waiting.length >= CHUNK) this.flush();
  }

  /** Holds the tree of these many leaves against a root somebody vouches for. */
  matches(size: number, root: Uint8Array, who: string): void {
    if (this.broken !== undefined) return;
    if (this.next < size) return this.hole(size);
    if (this.size !== size) return;
    if (this.root.equals(root)) {
      this.goodSize = size;
      return;
    }
    this.broken = 'root';
    const { goodSize } = this;
    this.findings.fault(
      'log rewritten',
      { treeSize: size, logIndex: goodSize },
      `Of the first ${size} batches one is not what was sealed: ${who} has another root. The first ${goodSize} are right. ` +
        `Batches after ${size} cannot be held against a signature any more.`,
    );
  }

  /** After the last leaf: none may be beyond the newest checkpoint, they are written together. */
  end(size: number): void {
    if (this.next < size) this.hole(size);
    if (this.next <= size || this.next === this.start) return;
    this.findings.fault(
      'leaf without checkpoint',
      { logIndex: size, treeSize: this.next },
      `Batches ${size} to ${this.next - 1} of the log have no checkpoint over them: a newer checkpoint was taken away, or they were added.`,
    );
  }

  /** Where the next verification may go on. */
  state(): VerifiedState {
    this.flush();
    return Object.freeze({
      format: 'gatehouse-verified@v1',
      size: this.range.size,
      frontier: frontierBytes(this.range).toString('base64'),
      writers: Object.freeze(Object.fromEntries(this.writers)),
    });
  }

  private hole(until: number): void {
    if (this.broken === undefined)
      this.findings.fault(
        'leaf missing',
        { logIndex: this.next },
        `The log lacks leaf ${this.next}${until - this.next > 1 ? ` to ${until - 1}` : ''}: sealed batches were taken away.`,
      );
    this.broken ??= 'hole';
  }

  private inOrder({ index, writerId, seq }: StoredLeaf): void {
    const expected = (this.writers.get(writerId) ?? 0) + 1;
    this.writers.set(writerId, seq);
    if (seq === expected) return;
    this.findings.fault(
      'batch out of order',
      { logIndex: index, writerId, seq },
      `Batch ${seq} of this writer stands in the log where ${expected} is due.`,
    );
  }

  private asHeader({ index, writerId, seq, hash, header }: StoredLeaf): void {
    const place = { logIndex: index, writerId, seq };
    if (header === undefined)
      return this.findings.fault('batch missing', place, `Batch ${seq} of this writer was sealed, and is gone.`);
    this.newestId = header.lastId;
    if (leafHash(headerData(header)).equals(hash)) return;
    this.findings.fault(
      'header changed',
      place,
      `The header of batch ${seq} of this writer is not its leaf in the log.`,
    );
  }

  private flush(): void {
    const { range, completed } = appendTo(this.range, this.waiting);
    this.range = range;
    this.waiting = [];
    for (const { level, index, hash } of completed) this.completed.set(`${level}/${index}`, hash);
  }
}

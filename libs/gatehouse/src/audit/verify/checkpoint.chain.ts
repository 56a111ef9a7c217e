import type { StoredCheckpoint } from '../../contracts/ports/seal.store.js';
import type { TrustedLog } from '../../values/transparency/checkpoint.js';
import type { Findings } from './findings.js';
import { judgeNote } from './log.keys.js';

/** The stored checkpoints, one after the other: who signed them, and whether they are what was signed. */
export class CheckpointChain {
  count = 0;
  private size = 0;
  private trusted = 0;
  private older = 0;
  /** Those since the last that is trusted. */
  private unknown: number[] = [];

  constructor(
    private readonly findings: Findings,
    private readonly log: TrustedLog,
  ) {}

  /** Judges the next one; returns the root it claims. */
  next({ treeSize, root, note }: StoredCheckpoint): Uint8Array {
    this.count += 1;
    this.size = treeSize;
    const judged = judgeNote(note, this.log);
    if (judged.kind === 'bad') {
      this.findings.fault(judged.fault, { treeSize }, `The checkpoint of ${treeSize} batches: ${judged.message}`);
      return root;
    }
    const { checkpoint } = judged;
    if (checkpoint.size !== treeSize || Buffer.compare(checkpoint.root, root) !== 0) {
      this.findings.fault(
        'checkpoint changed',
        { treeSize },
        `The checkpoint stored for ${treeSize} batches is a note over ${checkpoint.size}, or has another root than its row.`,
      );
    }
    if (judged.kind === 'trusted') this.believe();
    else this.unknown.push(treeSize);
    return checkpoint.size === treeSize ? checkpoint.root : root;
  }

  /** Sums up, after the last; returns how many batches the log has by the newest; 0 without any. */
  end(): number {
    const [first] = this.unknown;
    if (this.trusted === 0 || first !== undefined) this.findings.untrusted = true;
    if (first !== undefined && this.trusted > 0) {
      this.findings.unchecked(
        `checkpoints from ${first} batches on: no key you trust signed them (a changed key, or a forged checkpoint)`,
      );
    }
    if (this.count === 0) this.findings.unchecked('anything against a signature: no checkpoint is stored');
    else if (this.trusted === 0) this.findings.unchecked('any signature: no key you trust signed a checkpoint');
    if (this.older > 0)
      this.findings.unchecked(`the signatures of the first ${this.older} checkpoints: older keys than those you trust`);
    return this.size;
  }

  // Keys follow each other: an unknown one before the first that is trusted is an older key, between two that are trusted it is nobody's.
  private believe(): void {
    if (this.trusted === 0) this.older = this.unknown.length;
    else {
      for (const treeSize of this.unknown) {
        this.findings.fault(
          'checkpoint by an unknown key',
          { treeSize },
          `The checkpoint of ${treeSize} batches is signed by a key you do not trust, between others that you do.`,
        );
      }
    }
    this.unknown = [];
    this.trusted += 1;
  }
}

import type { Signer } from '../../contracts/ports/signer.js';
import type { SealLead, StoredCheckpoint } from '../../contracts/ports/seal.store.js';
import { IntegrityError } from '../../contracts/errors/integrity.error.js';
import { headerData } from '../../values/ledger/batch.header.js';
import { parseCheckpoint, signCheckpoint, verifyCheckpoint } from '../../values/transparency/checkpoint.js';
import {
  appendTo,
  EMPTY_RANGE,
  readRange,
  rootOfRange,
  type CompactRange,
} from '../../values/transparency/compact.range.js';
import { leafHash } from '../../values/transparency/merkle.tree.js';
import { parseNote } from '../../values/transparency/signed.note.js';
import { verifierKey } from '../../values/transparency/verifier.key.js';

/** The global log as the one sealer has it: its right edge, and the right to append. */
export class SealedLog {
  private constructor(
    private readonly lead: SealLead,
    private readonly origin: string,
    private readonly signers: readonly Signer[],
    private range: CompactRange,
    private last: StoredCheckpoint | undefined,
  ) {}

  /**
   * Reads where the log stands, and believes it only where the newest checkpoint is one of ours and stands for what is stored.
   *
   * @throws IntegrityError where it does not: then nothing more is signed
   */
  static async open(lead: SealLead, origin: string, signers: readonly Signer[]): Promise<SealedLog> {
    const last = await lead.checkpoint();
    if (last === undefined) return new SealedLog(lead, origin, signers, EMPTY_RANGE, undefined);
    const keys = signers.map(({ name, publicKey }) => verifierKey(name, publicKey));
    const begun = parseCheckpoint(parseNote(last.note).text).origin;
    if (begun !== origin) {
      throw new IntegrityError(
        `The newest checkpoint is of the log '${begun}', and audit.seal.origin is '${origin}'. A log keeps its name: set audit.seal.origin to '${begun}'. ` +
          `Where nobody renamed it, run 'gatehouse verify'.`,
      );
    }
    const { size, root } = verifyCheckpoint(last.note, { origin, keys });
    const range = await readRange(size, lead);
    if (size !== last.treeSize || !rootOfRange(range).equals(root)) {
      throw new IntegrityError(
        `The stored log is not the one whose ${size} batches were signed. Run 'gatehouse verify'.`,
      );
    }
    return new SealedLog(lead, origin, signers, range, last);
  }

  get checkpoint(): StoredCheckpoint | undefined {
    return this.last;
  }

  /** Appends what is new, at most `most` batches, and signs; how many there were. What was not committed is as if it had never been signed. */
  async sealNew(most: number): Promise<number> {
    const batches = await this.lead.unsealed(most);
    if (batches.length === 0) return 0;
    const leaves = batches.map((batch) => ({ batch, hash: leafHash(headerData(batch)) }));
    const { range, completed } = appendTo(
      this.range,
      leaves.map(({ hash }) => hash),
    );
    const root = rootOfRange(range);
    const note = await signCheckpoint({ origin: this.origin, size: range.size, root }, this.signers);
    await this.lead.seal({
      from: this.range.size,
      leaves,
      nodes: completed,
      checkpoint: { treeSize: range.size, root, note },
    });
    this.range = range;
    this.last = await this.lead.checkpoint();
    return batches.length;
  }

  /** That an anchor has a checkpoint. */
  recordAnchor(treeSize: number, anchor: string, receipt: string | null): Promise<void> {
    return this.lead.recordAnchor(treeSize, anchor, receipt);
  }

  release(): Promise<void> {
    return this.lead.release();
  }
}

import { Logger } from '@nestjs/common';
import { IntegrityError } from '../../contracts/errors/integrity.error.js';
import type { Anchor } from '../../contracts/ports/anchor.js';
import type { StoredCheckpoint } from '../../contracts/ports/seal.store.js';
import { parseCheckpoint } from '../../values/transparency/checkpoint.js';
import { parseNote } from '../../values/transparency/signed.note.js';
import { describeError } from '../../values/error-text.js';
import type { SealedLog } from './sealed.log.js';

/** Copies committed checkpoints to the anchors, and hears from them what was there before. */
export class SealAnchors {
  private readonly logger = new Logger('gatehouse.seal');
  private readonly failing = new Set<string>();

  constructor(private readonly anchors: readonly Anchor[]) {}

  /**
   * An anchor that knows a larger log than the database has: the database was cut, or restored from an older copy.
   *
   * @throws IntegrityError
   */
  async refuseRollback(treeSize: number): Promise<void> {
    for (const anchor of this.anchors) {
      const note = await anchor.latest?.();
      if (note === undefined) continue;
      const { size } = parseCheckpoint(parseNote(note).text);
      if (size > treeSize) {
        throw new IntegrityError(
          `The anchor '${anchor.name}' has a checkpoint of ${size} batches, the database only ${treeSize}: batches are missing. ` +
            `Restore them, or keep that checkpoint as evidence of the loss and start a new log (another origin, another anchor).`,
        );
      }
    }
  }

  /** Whoever fails is tried again with the next checkpoint; logged when it begins and when it is over. */
  async publish(checkpoint: StoredCheckpoint, log: Pick<SealedLog, 'recordAnchor'>): Promise<void> {
    for (const anchor of this.anchors) {
      try {
        const receipt = await anchor.publish(checkpoint.note, checkpoint.treeSize);
        await log.recordAnchor(checkpoint.treeSize, anchor.name, receipt ?? null);
        if (this.failing.delete(anchor.name)) this.logger.log(`The anchor '${anchor.name}' takes checkpoints again.`);
      } catch (error) {
        if (this.failing.has(anchor.name)) continue;
        this.failing.add(anchor.name);
        this.logger.error(`The anchor '${anchor.name}' does not take checkpoints: ${describeError(error)}.`);
      }
    }
  }
}

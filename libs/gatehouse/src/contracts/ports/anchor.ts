import type { Awaitable } from '../awaitable.js';

/**
 * A place outside the database that keeps checkpoints: who can rewrite the database can then still not rewrite what was sealed before.
 *
 * @example
 * ```ts
 * class BucketAnchor extends Anchor {
 *   readonly name = 'bucket:audit';
 *
 *   override async publish(note: string, treeSize: number): Promise<string> {
 *     return (await bucket.putOnce(`checkpoints/${treeSize}`, note)).versionId;
 *   }
 * }
 * ```
 */
export abstract class Anchor {
  /** Stands in `audit_anchor`; the same for the same place. */
  abstract readonly name: string;
  /**
   * Keeps a checkpoint, a signed note. The same one may come twice. What is returned is stored as its receipt; a throw is tried again with the
   * next one.
   */
  abstract publish(note: string, treeSize: number): Awaitable<string | void>;
  /** The newest note it holds, where it can be asked: a database that knows less has lost evidence, and is not sealed any further. */
  latest?(): Awaitable<string | undefined>;
}

import { Injectable, Logger } from '@nestjs/common';

import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunLease } from '../runs/run.lease.js';
import { RunTable, type RunHere } from '../runs/run.table.js';
import { describeError } from '../values/error-text.js';
import type { ClientConnection, ConnectionEnd } from './client.connection.js';
import { RemoteLeave } from './remote.leave.js';
import { RemoteWatch } from './remote.watch.js';
import { RunReaders } from './run.readers.js';

/** A client that watches a run. */
export interface Watch {
  readonly runId: string;
  readonly connection: ClientConnection;
  /** Only an owner's leaving ends a run: somebody who may merely read it cannot. */
  readonly owned: boolean;
  /** Where the run is just being stored. */
  readonly started?: Promise<unknown>;
}

/**
 * What a leaving client means: `streaming.onDisconnect`.
 *
 * Under `cancel` a run ends once an owner of it has left and nobody reads it in any process. It is decided where the last reader of a process ends:
 *
 * | the last reader here | owners here | then |
 * | --- | --- | --- |
 * | was cut off by us | any | nothing ends, and who had left is forgotten: we said that the run goes on |
 * | left, or has read all | one has left | wait until nobody reads elsewhere, then cancel. Somebody who reads here again stops that |
 * | left, or has read all | one was cut off since | as if it had been the last |
 * | left, or has read all | none has left | nothing ends. Where an owner has left elsewhere, that process need not wait for us |
 *
 * The other processes know it by the run's one note (`watched_until`), which everybody who reads renews:
 *
 * - Nothing: nobody reads elsewhere, or did since the run last went on. The driver cancels at once.
 * - An instant to come: somebody reads. Who ends only shortens it, to two renewals: time for the others to say so again.
 * - An instant that has passed: an owner has left, or a process died with its readers. The driver finds that when it renews its lease, and cancels, unless
 *   somebody reads there.
 * - Marked `gone` or `cut`: the last one ended in order, which is no silence. A process that waits for nobody to read cancels after `gone`, and gives up after
 *   `cut`: the mark is later than the leaving it waits for, which had overwritten an earlier one.
 */
@Injectable()
export class Disconnects {
  private readonly logger = new Logger('gatehouse.streams');
  /** What became of an owner's client, of a run that others still read here, or that waits for readers elsewhere to end. */
  private readonly owners = new Map<string, 'left' | 'cut'>();
  /** Runs that are left, until nobody reads them elsewhere. */
  private readonly abandoned = new Map<string, AbortController>();

  constructor(
    private readonly readers: RunReaders,
    private readonly remote: RemoteWatch,
    private readonly remoteLeave: RemoteLeave,
    private readonly table: RunTable,
    private readonly options: ResolvedOptions,
    lease: RunLease,
  ) {
    if (this.cancels) lease.onUnwatched((runId) => void this.unwatched(runId));
  }

  /** Counts the client as a reader until its connection ends. Resolves once the process that drives the run can know, where that is another one. */
  async watch({ runId, connection, owned, started }: Watch): Promise<void> {
    const detach = this.readers.attach(runId);
    if (owned) this.owners.delete(runId);
    this.takeUp(runId);
    connection.onEnd((end) => {
      detach();
      if (this.cancels) void this.ended(runId, end, owned, started);
    });
    if (!this.cancels) return;
    try {
      await started;
    } catch {
      // Refused: the request says why.
      return;
    }
    if (this.readers.of(runId) > 0) await this.remote.noted(runId, started !== undefined);
  }

  private get cancels(): boolean {
    return this.options.streaming.onDisconnect === 'cancel';
  }

  private async ended(runId: string, end: ConnectionEnd, owned: boolean, started?: Promise<unknown>): Promise<void> {
    try {
      await started;
    } catch {
      // Refused: there is no run to cancel, and the request has said why.
      return;
    }
    if (owned && end !== 'finished') this.owners.set(runId, end);
    if (this.readers.of(runId) > 0) return;
    const owner = this.owners.get(runId);
    if (owner === 'left' && end !== 'cut') return this.abandon(runId);
    this.owners.delete(runId);
    void this.remote.release(runId, end === 'cut' || owner === 'cut' ? 'cut' : 'gone');
  }

  /** Only the process that drives a run ends it, others ask it to. One that waits for a person is not driven by anybody, and outlives its client. */
  private async abandon(runId: string): Promise<void> {
    const stop = new AbortController();
    this.abandoned.set(runId, stop);
    const here = this.table.get(runId);
    if (here === undefined) await this.remoteLeave.left(runId, stop.signal);
    // Meanwhile it may have waited, and been resumed by somebody else.
    else if ((await this.unread(runId, here, stop)) && this.table.get(runId) === here) this.cancelUnread(runId);
    if (this.abandoned.get(runId) !== stop) return;
    this.abandoned.delete(runId);
    this.owners.delete(runId);
  }

  /** Somebody reads it here again. */
  private takeUp(runId: string): void {
    this.abandoned.get(runId)?.abort();
    this.abandoned.delete(runId);
  }

  /** A store that does not answer serves nobody elsewhere either. */
  private async unread(runId: string, { outcome }: RunHere, stop: AbortController): Promise<boolean> {
    const over = (): void => stop.abort();
    outcome.then(over, over);
    try {
      return await this.remote.unread(runId, { stop: stop.signal });
    } catch (error) {
      this.logger.warn(`Whether run ${runId} is watched elsewhere is not known: ${describeError(error)}`);
      return !stop.signal.aborted;
    }
  }

  /** The note about a run of ours has passed: whoever watched it in other processes has left, or died with them. */
  private async unwatched(runId: string): Promise<void> {
    try {
      if (this.readers.of(runId) === 0 && (await this.remote.lapsed(runId))) this.cancelUnread(runId);
    } catch (error) {
      // The next renewal tells it again.
      this.logger.warn(`Whether run ${runId} is watched elsewhere is not known: ${describeError(error)}`);
    }
  }

  private cancelUnread(runId: string): void {
    if (this.readers.of(runId) === 0) this.table.get(runId)?.cancellation.cancel('client disconnected');
  }
}

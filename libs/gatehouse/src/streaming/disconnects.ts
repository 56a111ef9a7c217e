import { setTimeout as pause } from 'node:timers/promises';

import { Injectable, Logger } from '@nestjs/common';

import { RunStore } from '../contracts/ports/run.store.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunLease } from '../runs/run.lease.js';
import { RunTable, type RunHere } from '../runs/run.table.js';
import { describeError } from '../values/error-text.js';
import { within } from '../values/within.js';
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

/** What a leaving client means: `streaming.onDisconnect`. */
@Injectable()
export class Disconnects {
  private readonly logger = new Logger('gatehouse.streams');
  /** Runs whose owner has left while somebody else was still reading. */
  private readonly forsaken = new Set<string>();

  constructor(
    private readonly readers: RunReaders,
    private readonly remote: RemoteWatch,
    private readonly remoteLeave: RemoteLeave,
    private readonly table: RunTable,
    private readonly store: RunStore,
    private readonly options: ResolvedOptions,
    lease: RunLease,
  ) {
    // Clients of other processes watched a run of ours, and none does any more.
    if (this.cancels) lease.onUnwatched((runId) => this.cancelUnread(runId));
  }

  /** Counts the client as a reader until its connection ends. Resolves once the process that drives the run can know, where that is another one. */
  async watch({ runId, connection, owned, started }: Watch): Promise<void> {
    const detach = this.readers.attach(runId);
    if (owned) this.forsaken.delete(runId);
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
    if (this.readers.of(runId) > 0) await this.remote.noted(runId);
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
    const left = end === 'left' && owned;
    if (this.readers.of(runId) > 0) {
      if (left) this.forsaken.add(runId);
      return;
    }
    const forsaken = this.forsaken.delete(runId);
    if (left || forsaken) await this.abandon(runId);
    // Cut off by us, it may attach again, here or elsewhere; and somebody who merely reads ends nothing.
    else if (end !== 'finished') this.remote.forget(runId);
  }

  /** Only the process that drives a run ends it, others ask it to. One that waits for a person is not driven by anybody, and outlives its client. */
  private async abandon(runId: string): Promise<void> {
    const here = this.table.get(runId);
    if (here === undefined) return this.remoteLeave.left(runId);
    for (;;) {
      const watched = await this.watchedElsewhere(runId);
      // Meanwhile it may have ended, or been suspended and resumed by somebody else.
      if (this.table.get(runId) !== here || this.readers.of(runId) > 0) return;
      if (watched === 0) return this.cancelUnread(runId);
      await atMost(watched, here);
    }
  }

  /** For how long, in milliseconds. A store that does not answer serves nobody elsewhere either. */
  private async watchedElsewhere(runId: string): Promise<number> {
    try {
      const asked = this.store.watchedFor(runId);
      return await within(asked, this.options.runs.grace, () => new Error('The store did not answer in time.'));
    } catch (error) {
      this.logger.warn(`Whether run ${runId} is watched elsewhere is not known: ${describeError(error)}`);
      return 0;
    }
  }

  private cancelUnread(runId: string): void {
    if (this.readers.of(runId) === 0) this.table.get(runId)?.cancellation.cancel('client disconnected');
  }
}

/** Waits, but not for a run that is over. */
async function atMost(milliseconds: number, { outcome }: RunHere): Promise<void> {
  const over = new AbortController();
  const end = (): void => over.abort();
  outcome.then(end, end);
  await pause(milliseconds, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
}

import { Injectable } from '@nestjs/common';

import { ResolvedOptions } from '../contracts/resolved.options.js';
import { RunTable } from '../runs/run.table.js';
import type { ClientConnection } from './client.connection.js';
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
  constructor(
    private readonly readers: RunReaders,
    private readonly table: RunTable,
    private readonly options: ResolvedOptions,
  ) {}

  /** Counts the client as a reader until its connection ends. */
  watch({ runId, connection, owned, started }: Watch): void {
    const detach = this.readers.attach(runId);
    connection.onEnd((end) => {
      detach();
      const cancels = owned && this.options.streaming.onDisconnect === 'cancel';
      if (end === 'left' && cancels) void this.abandon(runId, started);
    });
  }

  private async abandon(runId: string, started: Promise<unknown> | undefined): Promise<void> {
    try {
      await started;
    } catch {
      // Refused: there is no run to cancel, and the request has said why.
      return;
    }
    // Readers elsewhere are unknown here: only the process that drives a run, where most of them are, ends it. One that waits for a person is not
    // driven by anybody, and outlives its client. Nothing is asked of the store: it may be away.
    if (this.readers.of(runId) === 0) this.table.get(runId)?.cancellation.cancel('client disconnected');
  }
}

import { Pool, type PoolClient } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import { StorageUnavailableError } from '../../../contracts/errors/storage-unavailable.error.js';
import { within } from '../../../values/within.js';
import { clientConfig } from '../client.config.js';
import { isConnectionLoss } from '../driver.errors.js';
import { LedgerSession } from './ledger.session.js';
import { isMixedUp, StatementNames } from './statement.names.js';

/** No answer in time: whatever was sent may or may not be committed. */
class NoAnswer extends Error {}

/**
 * A few connections of its own to where the data source connects, so that neither busy stores nor a host's long transactions hold up evidence.
 * What takes longer than the deadline is given up together with its connection.
 */
export class LedgerPool {
  private readonly pool: Pool;
  private readonly set = new WeakSet<PoolClient>();
  private readonly names = new StatementNames();

  constructor(
    options: DataSourceOptions,
    most: number,
    private readonly deadlineMs: number,
  ) {
    const config = clientConfig(options);
    this.pool = new Pool({
      ...config,
      max: most,
      min: 0,
      keepAlive: true,
      allowExitOnIdle: true,
      connectionTimeoutMillis: Math.min(config.connectionTimeoutMillis ?? deadlineMs, deadlineMs),
    });
    // An idle connection that breaks is replaced by the next one that is asked for.
    this.pool.on('error', () => undefined);
  }

  /** Rejects with the driver's error, or with one that `isUnavailable` says yes to. */
  async session<T>(work: (session: LedgerSession) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    // A checked-out client without this listener ends the process when its connection breaks.
    const broken = (): void => undefined;
    client.on('error', broken);
    let failure: unknown;
    try {
      return await within(this.used(client, work), this.deadlineMs, () => new NoAnswer('no answer in time'));
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      client.off('error', broken);
      client.release(failure !== undefined && isUnavailable(failure));
    }
  }

  /** Waits for what is under way, at most so long; then connections break. */
  async close(withinMs: number): Promise<void> {
    await within(this.pool.end(), withinMs, () => new NoAnswer('still busy')).catch(() => undefined);
  }

  private async used<T>(client: PoolClient, work: (session: LedgerSession) => Promise<T>): Promise<T> {
    if (!this.set.has(client)) {
      // Not a parameter of the connection: poolers in between refuse those.
      await client.query(`SET statement_timeout = ${this.deadlineMs}; SET lock_timeout = ${this.deadlineMs}`);
      this.set.add(client);
    }
    return work(new LedgerSession(client, this.names));
  }
}

const AWAY = /^(08|53|57|25006|55P03|40)/;
const AWAY_WORDS = /timeout exceeded when trying to connect|Cannot use a pool after calling end/;

/**
 * Whether the database could not do it now, and may later: it is away, has no room, answers too late. The rest are values that it refuses.
 */
export function isUnavailable(error: unknown): boolean {
  if (
    error instanceof StorageUnavailableError ||
    error instanceof NoAnswer ||
    isConnectionLoss(error) ||
    isMixedUp(error)
  )
    return true;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  return AWAY.test(code) || (error instanceof Error && AWAY_WORDS.test(error.message));
}

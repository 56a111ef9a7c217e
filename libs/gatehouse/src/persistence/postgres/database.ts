import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource, EntityManager } from 'typeorm';
import { GatehouseError } from '../../contracts/errors/gatehouse.error.js';
import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import { driverError, isConnectionLoss, isLostRace } from './driver.errors.js';
import { FactSignal } from './ledger/fact.signal.js';
import { Sql } from './sql.js';
import { tableNames, type TableNames } from './table.names.js';

// Long enough for the pool to notice that its other connections are gone too.
const RETRY_AFTER = 50;
const LOST_RACES = 5;
const DEADLINE = 30_000;

/** The named data source, as the stores use it: transactions, one retry after a lost connection, no driver text outward. */
export class Database {
  readonly tables: TableNames;
  /** Told by whoever may have left facts, once they are committed. */
  readonly facts = new FactSignal();

  /** @param deadline milliseconds after which a call fails, whatever the database is doing: a black hole must not hold a run */
  constructor(
    readonly dataSource: DataSource,
    readonly schema: string,
    private readonly deadline = DEADLINE,
  ) {
    this.tables = tableNames(schema);
  }

  /**
   * One READ COMMITTED transaction. The work may run again: after a lost connection its first attempt may or may not have been committed,
   * so it writes only what is keyed by ids made before.
   *
   * @param action what the store was about to do, for the error: "The store could not <action>."
   */
  transaction<T>(action: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    return this.attempt(action, () =>
      this.dataSource.transaction('READ COMMITTED', (manager) => work(new Sql(manager, this.tables))),
    );
  }

  /** The same for what an auditor relies on: facts that it leaves in the outbox are moved on at once. */
  async factual<T>(action: string, work: (sql: Sql) => Promise<T>): Promise<T> {
    try {
      return await this.transaction(action, work);
    } finally {
      // Also after an error: what was sent may have been committed.
      this.facts.left();
    }
  }

  /** One statement, or reads that need no common snapshot, outside a transaction. */
  statement<T>(action: string, work: (sql: Sql, manager: EntityManager) => Promise<T>): Promise<T> {
    return this.attempt(action, async () => {
      // A repository of the data source itself would read from a replica, where there is one, and miss what was just written.
      const runner = this.dataSource.createQueryRunner('master');
      try {
        return await work(new Sql(runner.manager, this.tables), runner.manager);
      } finally {
        await runner.release();
      }
    });
  }

  private async attempt<T>(action: string, work: () => Promise<T>): Promise<T> {
    const over = new AbortController();
    const late = pause(this.deadline, undefined, { signal: over.signal, ref: false }).then(() => {
      throw new StorageUnavailableError(action, { cause: new Error(`No answer within ${this.deadline} ms.`) });
    });
    try {
      return await Promise.race([this.retried(action, work), late]);
    } finally {
      // Ends the timer; the rejection it makes of `late` has nobody left to tell.
      late.catch(() => undefined);
      over.abort();
    }
  }

  private async retried<T>(action: string, work: () => Promise<T>): Promise<T> {
    let lost = false;
    for (let races = 0; ;) {
      try {
        return await work();
      } catch (error) {
        if (isLostRace(error) && races < LOST_RACES) {
          races += 1;
        } else if (isConnectionLoss(error) && !lost) {
          lost = true;
          await pause(RETRY_AFTER);
        } else {
          throw outward(action, error);
        }
      }
    }
  }
}

// Refusals of ours, and mistakes of a caller, pass; everything a driver says becomes one error without its words.
function outward(action: string, error: unknown): unknown {
  const isOurs = error instanceof GatehouseError || error instanceof RangeError || error instanceof TypeError;
  return isOurs ? error : new StorageUnavailableError(action, { cause: driverError(error) });
}

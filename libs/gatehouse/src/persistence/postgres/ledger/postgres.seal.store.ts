import { Client } from 'pg';
import { StorageUnavailableError } from '../../../contracts/errors/storage-unavailable.error.js';
import { SealStore, type SealLead, type StoredCheckpoint } from '../../../contracts/ports/seal.store.js';
import { clientConfig } from '../client.config.js';
import type { Database } from '../database.js';
import { driverError } from '../driver.errors.js';
import { checkpointOf, type CheckpointRow } from './checkpoint.rows.js';
import { PostgresSealLead } from './postgres.seal.lead.js';

const ANSWER_WITHIN = 10_000;

/** The seal's tables in Postgres. Who leads is who holds an advisory lock, on a connection of its own. */
export class PostgresSealStore extends SealStore {
  constructor(private readonly database: Database) {
    super();
  }

  override async lead(): Promise<SealLead | undefined> {
    const client = new Client({
      ...clientConfig(this.database.dataSource.options),
      statement_timeout: ANSWER_WITHIN,
      query_timeout: ANSWER_WITHIN,
      application_name: 'gatehouse sealer',
    });
    // A connection that breaks is noticed by the next statement.
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ mine: boolean }>(
        'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS mine',
        [`gatehouse:seal:${this.database.schema}`],
      );
      if (rows[0]?.mine === true) return new PostgresSealLead(client, this.database.tables);
      await client.end();
      return undefined;
    } catch (error) {
      await client.end().catch(() => undefined);
      throw new StorageUnavailableError('take the lead in sealing', { cause: driverError(error) });
    }
  }

  override latestCheckpoint(): Promise<StoredCheckpoint | undefined> {
    return this.database.statement('read the newest checkpoint', async (sql) => {
      const row = await sql.row<CheckpointRow>(
        `SELECT tree_size, root, note, created_at FROM ${sql.tables.checkpoint} ORDER BY tree_size DESC LIMIT 1`,
      );
      return row === undefined ? undefined : checkpointOf(row);
    });
  }

  override anchoredSize(anchor: string): Promise<number> {
    return this.database.statement('read the anchored size', async (sql) => {
      const row = await sql.row<{ size: string | null }>(
        `SELECT max(tree_size) AS size FROM ${sql.tables.anchor} WHERE anchor = $1`,
        [anchor],
      );
      return Number(row?.size ?? 0);
    });
  }
}

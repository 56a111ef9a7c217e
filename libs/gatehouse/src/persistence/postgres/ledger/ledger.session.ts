import type { PoolClient } from 'pg';
import type { Statement } from './batch.insert.js';

/** One connection of the log's own. */
export class LedgerSession {
  constructor(private readonly client: PoolClient) {}

  async run({ text, values }: Statement): Promise<void> {
    await this.client.query(text, [...values]);
  }

  async rows<Row extends object>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    return (await this.client.query<Row>(text, [...values])).rows;
  }

  /** One READ COMMITTED transaction. */
  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    try {
      const result = await work();
      await this.client.query('COMMIT');
      return result;
    } catch (error) {
      await this.client.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  }
}

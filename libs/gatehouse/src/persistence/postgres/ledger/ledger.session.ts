import type { PoolClient } from 'pg';
import type { Statement } from './batch.insert.js';
import type { StatementNames } from './statement.names.js';

/** One connection of the log's own. */
export class LedgerSession {
  constructor(
    private readonly client: PoolClient,
    private readonly names: StatementNames,
  ) {}

  /** A statement that comes again and again: the server plans it once for each connection. */
  async run({ text, values }: Statement): Promise<void> {
    try {
      await this.client.query({ name: this.names.of(text), text, values: [...values] });
    } catch (error) {
      this.names.doubt(error);
      throw error;
    }
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

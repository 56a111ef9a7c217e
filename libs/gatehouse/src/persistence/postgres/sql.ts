import type { EntityManager } from 'typeorm';
import type { TableNames } from './table.names.js';

/** SQL through one entity manager. Values are always parameters; names come from `tables`. */
export class Sql {
  constructor(
    private readonly manager: EntityManager,
    readonly tables: TableNames,
  ) {}

  /** The rows a statement returns. */
  async rows<Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
    const result: unknown = await this.manager.query(text, [...values]);
    // TypeORM answers UPDATE and DELETE with [rows, count], everything else with the rows.
    const rows: unknown = isCounted(result) ? result[0] : result;
    return rows as Row[];
  }

  /** The first row, if any. */
  async row<Row>(text: string, values: readonly unknown[] = []): Promise<Row | undefined> {
    return (await this.rows<Row>(text, values))[0];
  }

  /** Runs a statement for its effect. */
  async run(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.manager.query(text, [...values]);
  }
}

function isCounted(result: unknown): result is [unknown[], number] {
  return Array.isArray(result) && result.length === 2 && Array.isArray(result[0]) && typeof result[1] === 'number';
}

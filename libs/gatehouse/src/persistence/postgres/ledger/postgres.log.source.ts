import { Client } from 'pg';
import { StorageUnavailableError } from '../../../contracts/errors/storage-unavailable.error.js';
import { LogSource, type LogQuery, type LogRecord } from '../../../contracts/ports/log.source.js';
import { clientConfig } from '../client.config.js';
import type { Database } from '../database.js';
import { driverError } from '../driver.errors.js';
import { Filter } from '../filter.js';
import { inMonth } from '../keeping/month.bounds.js';
import { recordColumns, storedEntry, type EntryRow } from './ledger.rows.js';

const AT_ONCE = 500;

type LogRow = EntryRow & {
  readonly writer_id: string;
  readonly seq: string;
  readonly idx: number;
  readonly commitment: string | null;
  readonly salt: string | null;
};

/** Reads through a cursor in one read-only snapshot, on a connection of its own: an export may take long, and must not hold up a pool. */
export class PostgresLogSource extends LogSource {
  constructor(private readonly database: Database) {
    super();
  }

  override async *records(query: LogQuery): AsyncGenerator<LogRecord> {
    const client = new Client({
      ...clientConfig(this.database.dataSource.options),
      application_name: 'gatehouse export',
    });
    // A connection that breaks is noticed by the next statement.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const { text, values } = this.cursor(query);
      await client.query(text, values);
      for (;;) {
        const { rows } = await client.query<LogRow>(`FETCH ${AT_ONCE} FROM records`);
        if (rows.length === 0) return;
        yield* rows.map(logRecord);
      }
    } catch (error) {
      throw new StorageUnavailableError('export evidence', { cause: driverError(error) });
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private cursor(query: LogQuery): { readonly text: string; readonly values: unknown[] } {
    const { tables } = this.database;
    const filter = new Filter()
      .named('l.organization_id', query.organizationId ?? undefined)
      .named('l.principal_id', query.principalId)
      .isId('l.run_id', query.runId)
      .named('l.thread_id', query.threadId)
      .named('l.tool_name', query.toolName)
      .between('l.at', query.from, query.until);
    if (query.organizationId === null) filter.isNull('l.organization_id');
    if (query.kinds !== undefined) filter.equalsAny('l.kind', query.kinds);
    const clause = filter.where();
    // Of the tables as a whole: who maintains the evidence has no rights on partitions.
    const part = (table: string): string =>
      query.month === undefined ? table : `(SELECT * FROM ${table} t WHERE ${inMonth('t.id', query.month)})`;
    return {
      text: `DECLARE records NO SCROLL CURSOR FOR
        SELECT ${recordColumns('l')}, convert_from(p.body, 'UTF8') AS body, l.payload_commitment IS NOT NULL AS bound, true AS sealed,
          l.writer_id, l.seq, l.idx, encode(l.payload_commitment, 'hex') AS commitment, encode(p.salt, 'hex') AS salt
        FROM ${part(tables.log)} l LEFT JOIN ${part(tables.payload)} p ON p.id = l.id ${clause} ORDER BY l.id`,
      values: [...filter.values],
    };
  }
}

function logRecord(row: LogRow): LogRecord {
  return {
    ...storedEntry(row),
    writerId: row.writer_id,
    seq: Number(row.seq),
    idx: row.idx,
    payloadCommitment: row.commitment,
    salt: row.salt,
  };
}

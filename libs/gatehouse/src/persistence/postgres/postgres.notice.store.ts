import { NoticeStore, type DueNotice } from '../../contracts/ports/notice.store.js';
import type { ApprovalEvent } from '../../contracts/approval.event.js';
import { sanitizeText } from '../../values/sanitizer.js';
import type { Database } from './database.js';
import { EVENT_FIELDS } from './rows/approval.event.rows.js';
import type { Sql } from './sql.js';

/** Notices in Postgres: made of the history when they are asked for, so that telling costs an approval's transaction nothing. */
export class PostgresNoticeStore extends NoticeStore {
  constructor(private readonly database: Database) {
    super();
  }

  override register(notifiers: readonly string[]): Promise<void> {
    return this.database.statement('register the notifiers', (sql) =>
      sql.run(
        `INSERT INTO ${sql.tables.notifier} (name, since) SELECT name, clock_timestamp() FROM unnest($1::text[]) AS n(name)
          ON CONFLICT DO NOTHING`,
        [notifiers],
      ),
    );
  }

  override take(notifiers: readonly string[], limit: number, holdMs: number): Promise<readonly DueNotice[]> {
    return this.database.transaction('take what notifiers are to be told', async (sql) => {
      await makeNotices(sql, notifiers);
      return takeDue(sql, notifiers, limit, holdMs);
    });
  }

  override delivered({ event, notifier }: DueNotice): Promise<void> {
    return this.database.statement('store that a notifier was told', (sql) =>
      sql.run(
        `UPDATE ${sql.tables.notice} SET settled_at = clock_timestamp(), error = NULL WHERE event_id = $1 AND notifier = $2`,
        [event.id, notifier],
      ),
    );
  }

  override failed({ event, notifier }: DueNotice, error: string, retryInMs: number | undefined): Promise<void> {
    return this.database.statement('store that a notifier could not be told', (sql) =>
      sql.run(
        `UPDATE ${sql.tables.notice} SET error = $3, next_at = clock_timestamp() + coalesce($4, 0) * interval '1 millisecond',
            settled_at = CASE WHEN $4::double precision IS NULL THEN clock_timestamp() END
          WHERE event_id = $1 AND notifier = $2 AND settled_at IS NULL`,
        [event.id, notifier, sanitizeText(error), retryInMs ?? null],
      ),
    );
  }
}

// A day: what is older is no news. The history's order is no guide here, as transactions commit in another one.
async function makeNotices(sql: Sql, notifiers: readonly string[]): Promise<void> {
  const { approvalEvent, notifier, notice } = sql.tables;
  await sql.run(
    `INSERT INTO ${notice} (event_id, notifier, attempts, next_at)
      SELECT e.id, n.name, 0, clock_timestamp() FROM ${notifier} n JOIN ${approvalEvent} e ON e.at >= n.since
      WHERE n.name = ANY($1::text[]) AND e.kind IN ('requested', 'decided') AND e.at > clock_timestamp() - interval '1 day'
        AND NOT EXISTS (SELECT FROM ${notice} o WHERE o.event_id = e.id AND o.notifier = n.name)
      ORDER BY e.seq LIMIT 500 ON CONFLICT DO NOTHING`,
    [notifiers],
  );
  await sql.run(`DELETE FROM ${notice} WHERE settled_at < clock_timestamp() - interval '2 days'`);
}

async function takeDue(
  sql: Sql,
  notifiers: readonly string[],
  limit: number,
  holdMs: number,
): Promise<readonly DueNotice[]> {
  const { approvalEvent, notice } = sql.tables;
  const rows = await sql.rows<ApprovalEvent & Pick<DueNotice, 'notifier' | 'attempts'>>(
    `WITH due AS (
        SELECT event_id, notifier FROM ${notice}
        WHERE notifier = ANY($1::text[]) AND settled_at IS NULL AND next_at <= clock_timestamp()
        ORDER BY next_at LIMIT $2 FOR UPDATE SKIP LOCKED),
      taken AS (
        UPDATE ${notice} o SET attempts = attempts + 1, next_at = clock_timestamp() + $3 * interval '1 millisecond'
        FROM due WHERE o.event_id = due.event_id AND o.notifier = due.notifier RETURNING o.event_id, o.notifier, o.attempts)
      SELECT ${EVENT_FIELDS}, t.notifier, t.attempts FROM taken t JOIN ${approvalEvent} e ON e.id = t.event_id ORDER BY e.seq`,
    [notifiers, limit, holdMs],
  );
  return rows.map(({ notifier, attempts, ...event }) => ({ notifier, attempts, event }));
}

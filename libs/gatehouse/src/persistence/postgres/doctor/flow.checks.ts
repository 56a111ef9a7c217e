import type { Ask } from './ask.js';
import { ok, problem, warning, type Finding } from './finding.js';

const DAY = 86_400;
const RETIRED = 30 * DAY;
const ago = (seconds: number): string =>
  seconds < 120
    ? `${Math.round(seconds)} s ago`
    : seconds < 2 * DAY
      ? `${Math.round(seconds / 60)} min ago`
      : `${Math.round(seconds / DAY)} days ago`;

/** Whether the next months have partitions. */
export async function monthCheck(ask: Ask, schema: string): Promise<Finding> {
  const [row] = await ask<{ days: number | null }>(
    `SELECT (extract(epoch FROM max((to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') AT TIME ZONE 'UTC') - clock_timestamp()) / ${DAY})::float8 AS days
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = '"${schema}".audit_log'::regclass AND c.relname ~ '^audit_log_[0-9]{6}$'`,
  );
  const days = Math.floor(row?.days ?? 0);
  if (days >= 7) return ok('months', `made for the next ${days} days`);
  return problem(
    'months',
    `made for the next ${days} days only. An application that runs makes them; else: SELECT "${schema}".ensure_month(now() + interval '1 month').`,
  );
}

/** Facts wait for a process that seals them. */
export async function factCheck(ask: Ask, schema: string): Promise<Finding> {
  const [row] = await ask<{ waiting: number; age: number | null }>(
    `SELECT count(*)::integer AS waiting, extract(epoch FROM clock_timestamp() - min(at))::float8 AS age FROM "${schema}".evidence_outbox`,
  );
  const { waiting = 0, age } = row ?? {};
  if (waiting === 0) return ok('facts', 'none waits to be sealed');
  const detail = `${waiting} wait to be sealed, the oldest happened ${ago(age ?? 0)}`;
  return (age ?? 0) < 60 ? ok('facts', detail) : warning('facts', `${detail}. Is an application running?`);
}

/** How old the newest signature is, and what is not covered by it. */
export async function sealCheck(ask: Ask, schema: string): Promise<Finding> {
  const [row] = await ask<{ size: string | null; age: number | null; unsealed: number; oldest: number | null }>(
    `SELECT (SELECT max(tree_size) FROM "${schema}".audit_checkpoint) AS size,
      (SELECT extract(epoch FROM clock_timestamp() - max(created_at))::float8 FROM "${schema}".audit_checkpoint) AS age,
      count(*)::integer AS unsealed, extract(epoch FROM clock_timestamp() - min(b.recorded_at))::float8 AS oldest
      FROM "${schema}".audit_batch b WHERE NOT EXISTS (SELECT FROM "${schema}".audit_leaf l WHERE l.writer_id = b.writer_id AND l.seq = b.seq)`,
  );
  if (row === undefined || row.size === null) {
    return warning('seal', "no checkpoint was ever signed. Set audit.seal.key ('gatehouse keygen' makes one).");
  }
  const detail = `${row.size} batches are sealed, the newest checkpoint was signed ${ago(row.age ?? 0)}`;
  if (row.unsealed > 0 && (row.oldest ?? 0) > 60) {
    return problem(
      'seal',
      `${detail}; ${row.unsealed} batches are not, the oldest was committed ${ago(row.oldest ?? 0)}. Look for 'Nothing more is sealed' in the logs.`,
    );
  }
  return ok('seal', detail);
}

/** Whether somebody outside the database holds a recent checkpoint. */
export async function anchorCheck(ask: Ask, schema: string): Promise<Finding> {
  const rows = await ask<{ anchor: string; size: string; age: number; behind: string }>(
    `SELECT anchor, max(tree_size) AS size, extract(epoch FROM clock_timestamp() - max(anchored_at))::float8 AS age,
      coalesce((SELECT max(tree_size) FROM "${schema}".audit_checkpoint), 0) - max(tree_size) AS behind FROM "${schema}".audit_anchor GROUP BY anchor ORDER BY 1`,
  );
  if (rows.length === 0) {
    return warning(
      'anchors',
      'no checkpoint is kept outside this database: whoever rules it can cut its end unseen. Set audit.seal.anchors.',
    );
  }
  const isLate = ({ behind, age }: { behind: string; age: number }): boolean => Number(behind) > 0 && age > 300;
  const late = rows.filter(isLate).map(({ anchor, age }) => `'${anchor}' got its last checkpoint ${ago(age)}`);
  const current = rows.filter((row) => !isLate(row)).map(({ anchor, size }) => `'${anchor}' has ${size} batches`);
  if (current.length === 0) return problem('anchors', late.join('; '));
  if (late.length === 0) return ok('anchors', current.join('; '));
  // What is configured is not in the database: one that was given up looks like one that fails.
  const isStuck = rows.some((row) => isLate(row) && row.age < RETIRED);
  const detail = `${current.join('; ')}; ${late.join('; ')}${isStuck ? ': does it fail?' : ', and is taken to be given up'}`;
  return isStuck ? warning('anchors', detail) : ok('anchors', detail);
}

/** What is known to be missing. */
export async function lossCheck(ask: Ask, schema: string): Promise<Finding> {
  const [row] = await ask<{ gaps: number; missing: string | null; lost: number }>(
    `SELECT (SELECT count(*)::integer FROM "${schema}".audit_log WHERE kind = 'gap') AS gaps, (SELECT sum(amount) FROM "${schema}".audit_log WHERE kind = 'gap') AS missing,
      (SELECT count(*)::integer FROM "${schema}".evidence_writer WHERE state = 'lost') AS lost`,
  );
  const { gaps = 0, missing, lost = 0 } = row ?? {};
  if (gaps === 0 && lost === 0) return ok('losses', 'none is known');
  return warning(
    'losses',
    `${gaps} gaps with ${missing ?? 0} records in all, ${lost} writers that ended without a word (their queues went with them)`,
  );
}

/** Settings of the server without which a commit is no promise. */
export async function serverCheck(ask: Ask): Promise<Finding> {
  const [row] = await ask<{ fsync: string; pages: string; commit: string; version: number }>(
    `SELECT current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, current_setting('synchronous_commit') AS commit,
      current_setting('server_version_num')::integer / 10000 AS version`,
  );
  const wrong = [
    ...(row?.fsync === 'on' ? [] : ['fsync is off']),
    ...(row?.pages === 'on' ? [] : ['full_page_writes is off']),
    ...(row?.commit === 'off' ? ['synchronous_commit is off'] : []),
    ...((row?.version ?? 0) >= 15 ? [] : [`the server is version ${row?.version}, older than 15`]),
  ];
  if (wrong.length > 0) return problem('server', `${wrong.join(', ')}: what was acknowledged can be lost.`);
  return ok('server', `PostgreSQL ${row?.version}, commits are durable`);
}

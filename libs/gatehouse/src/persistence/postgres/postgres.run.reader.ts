import type { Page } from '../../contracts/page.js';
import {
  RunReader,
  type ApprovalQuery,
  type Owner,
  type RunQuery,
  type StoredFrames,
  type StoredSegment,
} from '../../contracts/ports/run.reader.js';
import type { StoredApproval } from '../../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import type { StoredStep } from '../../contracts/ports/stored.step.js';
import type { RunEvent } from '../../contracts/run.events.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';
import { isUuid } from '../../values/ids.js';
import { visibleText } from '../../values/visible-text.js';
import { MOST_BYTES } from '../event.reads.js';
import { ownerKey } from '../owner.key.js';
import { pageOf, pageStart } from '../paging.js';
import type { Database } from './database.js';
import { Filter } from './filter.js';
import { entitiesOf, type GatehouseEntities } from './gatehouse.entities.js';
import { selectApprovals, storedApproval, type FullApprovalRow } from './rows/approval.rows.js';
import { bodyOf } from '../checkpoint/checkpoint.body.js';
import { parsed, present } from './rows/json.text.js';
import { runNamed, storedRun } from './rows/run.rows.js';
import type { RunRow, SegmentRow } from './tables/run.tables.js';
import { readApprovals } from './writes/approval.writes.js';
import { deferralsOfRun } from './writes/deferral.writes.js';

/** `bytes`: of this event and those before it in the same read. */
interface FrameRow {
  readonly seq: number;
  readonly event: string;
  readonly bytes: number;
}

/** Reads of the working state in Postgres. */
export class PostgresRunReader extends RunReader {
  private readonly entities: GatehouseEntities;

  constructor(private readonly database: Database) {
    super();
    this.entities = entitiesOf(database.schema);
  }

  override async run(id: string): Promise<StoredRun | undefined> {
    if (!isUuid(id)) return undefined;
    const row = await this.database.statement('read a run', (sql) =>
      sql.row<RunRow>(`SELECT * FROM ${sql.tables.run} WHERE id = $1`, [id]),
    );
    return row === undefined ? undefined : storedRun(row);
  }

  override async runs(query: RunQuery): Promise<Page<StoredRun>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .equals('thread_id', query.threadId)
      .equals('status', query.status)
      .equals('agent', query.agent)
      .equals('organization_id', query.organizationId)
      .equals('owner_key', query.owner === undefined ? undefined : ownerKey(query.owner));
    const rows = await this.database.statement('list runs', (sql) =>
      sql.rows<RunRow>(`SELECT * FROM ${sql.tables.run} ${filter.page('id', after, limit)}`, filter.values),
    );
    return pageOf(rows.map(storedRun), limit);
  }

  override async threadOwner(threadId: string): Promise<Owner | undefined> {
    const thread = await this.database.statement('read a thread', (_, manager) =>
      manager.getRepository(this.entities.thread).findOneBy({ id: visibleText(threadId) }),
    );
    if (thread === null) return undefined;
    return present({ organizationId: thread.organization_id, principalId: thread.principal_id });
  }

  override async messages(threadId: string): Promise<readonly ThreadMessage[]> {
    const rows = await this.database.statement('read a thread', (_, manager) =>
      manager
        .getRepository(this.entities.message)
        .find({ where: { thread_id: visibleText(threadId) }, order: { position: 'ASC' } }),
    );
    return rows.map(({ body }) => bodyOf<ThreadMessage>('message', body, `Thread ${threadId}`));
  }

  override async lastStep(runId: string): Promise<StoredStep | undefined> {
    if (!isUuid(runId)) return undefined;
    const row = await this.database.statement('read a step', (_, manager) =>
      manager.getRepository(this.entities.step).findOne({ where: { run_id: runId }, order: { step: 'DESC' } }),
    );
    return row === null ? undefined : bodyOf<StoredStep>('step', row.body, runNamed(runId));
  }

  override async frames(runId: string, after: number, limit: number): Promise<StoredFrames> {
    if (!isUuid(runId)) return { frames: [], more: false };
    // Not through a repository: making an entity of each takes longer than reading it.
    const rows = await this.database.statement('read the events of a run', (sql) =>
      sql.rows<FrameRow>(
        `SELECT seq, event, bytes FROM (
           SELECT seq, event, sum(octet_length(event)) OVER (ORDER BY seq ROWS UNBOUNDED PRECEDING)::float8 AS bytes
           FROM ${sql.tables.event} WHERE run_id = $1 AND seq > $2 ORDER BY seq LIMIT $3) AS next
         WHERE bytes - octet_length(event) < $4 ORDER BY seq`,
        [runId, after, limit, MOST_BYTES],
      ),
    );
    const frames = rows.map(({ seq, event }) => ({ seq, event: parsed<RunEvent>(event) }));
    return { frames, more: rows.length >= limit || (rows.at(-1)?.bytes ?? 0) >= MOST_BYTES };
  }

  override async segment(owner: Owner, segment: string): Promise<StoredSegment | undefined> {
    const row = await this.database.statement('read a segment', (sql) =>
      sql.row<SegmentRow & { readonly next_seq: number | null }>(
        `SELECT named.*, (SELECT min(later.first_seq) FROM ${sql.tables.segment} AS later
           WHERE later.run_id = named.run_id AND later.first_seq > named.first_seq) AS next_seq
         FROM ${sql.tables.segment} AS named WHERE owner_key = $1 AND segment = $2`,
        [ownerKey(owner), visibleText(segment)],
      ),
    );
    if (row === undefined) return undefined;
    return { runId: row.run_id, firstSeq: row.first_seq, ...present({ nextSeq: row.next_seq }) };
  }

  override async approval(id: string): Promise<StoredApproval | undefined> {
    if (!isUuid(id)) return undefined;
    const [row] = await this.database.statement('read an approval', (sql) => readApprovals(sql, [id]));
    return row === undefined ? undefined : storedApproval(row);
  }

  override async deferrals(runId: string): Promise<readonly StoredDeferral[]> {
    if (!isUuid(runId)) return [];
    return this.database.statement('list deferred calls', (sql) => deferralsOfRun(sql, runId));
  }

  override async approvals(query: ApprovalQuery): Promise<Page<StoredApproval>> {
    const { limit, after } = pageStart(query);
    const filter = new Filter()
      .isId('a.run_id', query.runId)
      .equals('a.thread_id', query.threadId)
      .equals('a.tool_name', query.toolName)
      .equals('a.status', query.status)
      .equals('a.organization_id', query.organizationId)
      .equals('a.requested_by', query.requestedBy);
    const rows = await this.database.statement('list approvals', (sql) =>
      sql.rows<FullApprovalRow>(`${selectApprovals(sql.tables)} ${filter.page('a.id', after, limit)}`, filter.values),
    );
    return pageOf(rows.map(storedApproval), limit);
  }
}

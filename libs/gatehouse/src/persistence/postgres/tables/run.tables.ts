import { EntitySchema } from 'typeorm';
import type { RunStatus } from '../../../contracts/statuses.js';
import { columns, flag, instant, integer, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/**
 * A row of `agent_run`. `principal`, `tools` are JSON text, `limits`, `state`, `counters` versioned bodies; `checkpoint_version` is that of the newest
 * Gatehouse that ever owned the run, so none of its bodies is newer.
 */
export interface RunRow {
  readonly id: string;
  readonly thread_id: string;
  readonly owner_key: string;
  readonly agent: string;
  readonly local: boolean;
  readonly segment: string;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly principal: string | null;
  readonly ip_address: string | null;
  readonly instructions: string | null;
  readonly tools: string | null;
  readonly limits: string;
  readonly digest_key: string;
  readonly state: string;
  readonly parent_run_id: string | null;
  readonly parent_operation_id: string | null;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly owner: string | null;
  readonly lease_until: Date | null;
  readonly step: number;
  readonly counters: string;
  readonly last_seq: number;
  readonly checkpoint_version: number;
  readonly cancel_source: string | null;
  readonly cancel_reason: string | null;
  readonly watched_until: Date | null;
  readonly watched_end: 'gone' | 'cut' | null;
  readonly started_at: Date;
  readonly finished_at: Date | null;
  readonly events_expired_at: Date | null;
}

/** A client's name for a part of a run's stream. `token` names the call that wrote it. */
export interface SegmentRow {
  readonly owner_key: string;
  readonly segment: string;
  readonly run_id: string;
  readonly first_seq: number;
  readonly token: string;
}

/** A step; `body` is versioned. */
export interface StepRow {
  readonly run_id: string;
  readonly step: number;
  readonly body: string;
}

/** A stored event; `event` is its JSON. */
export interface EventRow {
  readonly run_id: string;
  readonly seq: number;
  readonly event: string;
  readonly at: Date;
}

export const runTable = (place: TablePlace): EntitySchema<RunRow> =>
  new EntitySchema<RunRow>({
    ...place('agent_run'),
    columns: columns<RunRow>({
      id: key('uuid'),
      thread_id: text,
      owner_key: text,
      agent: text,
      local: flag,
      segment: text,
      organization_id: orNull(text),
      principal_id: orNull(text),
      principal: orNull(text),
      ip_address: orNull(text),
      instructions: orNull(text),
      tools: orNull(text),
      limits: text,
      digest_key: text,
      state: text,
      parent_run_id: orNull(uuid),
      parent_operation_id: orNull(uuid),
      status: text,
      epoch: integer,
      owner: orNull(text),
      lease_until: orNull(instant),
      step: integer,
      counters: text,
      last_seq: integer,
      checkpoint_version: integer,
      cancel_source: orNull(text),
      cancel_reason: orNull(text),
      watched_until: orNull(instant),
      watched_end: orNull(text),
      started_at: instant,
      finished_at: orNull(instant),
      events_expired_at: orNull(instant),
    }),
    indices: [
      // TypeORM compares the text of a condition, not its meaning: partial indexes are the migrations' own.
      { name: 'agent_run_active_thread', columns: ['thread_id'], unique: true, synchronize: false },
      { name: 'agent_run_unfinished', columns: ['status', 'lease_until'], synchronize: false },
      { name: 'agent_run_kept_events', columns: ['finished_at'], synchronize: false },
      { name: 'agent_run_thread', columns: ['thread_id', 'id'] },
      { name: 'agent_run_owner_key', columns: ['owner_key', 'id'] },
    ],
  });

export const segmentTable = (place: TablePlace): EntitySchema<SegmentRow> =>
  new EntitySchema<SegmentRow>({
    ...place('run_segment'),
    columns: columns<SegmentRow>({
      owner_key: key('text'),
      segment: key('text'),
      run_id: uuid,
      first_seq: integer,
      token: uuid,
    }),
    indices: [{ name: 'run_segment_run', columns: ['run_id', 'first_seq'] }],
  });

export const stepTable = (place: TablePlace): EntitySchema<StepRow> =>
  new EntitySchema<StepRow>({
    ...place('run_step'),
    columns: columns<StepRow>({ run_id: key('uuid'), step: key('integer'), body: text }),
  });

export const eventTable = (place: TablePlace): EntitySchema<EventRow> =>
  new EntitySchema<EventRow>({
    ...place('run_event'),
    columns: columns<EventRow>({ run_id: key('uuid'), seq: key('integer'), event: text, at: instant }),
  });

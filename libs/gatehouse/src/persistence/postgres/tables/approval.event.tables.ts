import { EntitySchema } from 'typeorm';
import type { ApprovalEventKind } from '../../../contracts/approval.event.js';
import { columns, instant, integer, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/** A row of `approval_event`, for repositories of a host; the stores read it as an `ApprovalEvent`. `seq` is a bigint. */
export interface ApprovalEventRow {
  readonly seq: string;
  readonly id: string;
  readonly approval_id: string;
  readonly run_id: string;
  readonly organization_id: string | null;
  readonly tool_name: string;
  readonly kind: ApprovalEventKind;
  readonly status: string | null;
  readonly principal_id: string | null;
  readonly detail: string | null;
  readonly at: Date;
}

/** Who is told about approvals, and since when. */
export interface NotifierRow {
  readonly name: string;
  readonly since: Date;
}

/** One event for one notifier. Settled: delivered, or given up (then with the last error). */
export interface NoticeRow {
  readonly event_id: string;
  readonly notifier: string;
  readonly attempts: number;
  readonly next_at: Date;
  readonly settled_at: Date | null;
  readonly error: string | null;
}

export const approvalEventTable = (place: TablePlace): EntitySchema<ApprovalEventRow> =>
  new EntitySchema<ApprovalEventRow>({
    ...place('approval_event'),
    columns: columns<ApprovalEventRow>({
      seq: { type: 'bigint', primary: true, generated: 'increment' },
      id: uuid,
      approval_id: uuid,
      run_id: uuid,
      organization_id: orNull(text),
      tool_name: text,
      kind: text,
      status: orNull(text),
      principal_id: orNull(text),
      detail: orNull(text),
      at: instant,
    }),
    indices: [
      { name: 'approval_event_id', columns: ['id'], unique: true },
      { name: 'approval_event_run', columns: ['run_id', 'seq'] },
      { name: 'approval_event_approval', columns: ['approval_id', 'seq'] },
      { name: 'approval_event_organization', columns: ['organization_id', 'seq'] },
      { name: 'approval_event_at', columns: ['at'] },
      { name: 'approval_event_claimed', columns: ['approval_id'], unique: true, synchronize: false },
    ],
  });

export const notifierTable = (place: TablePlace): EntitySchema<NotifierRow> =>
  new EntitySchema<NotifierRow>({
    ...place('approval_notifier'),
    columns: columns<NotifierRow>({ name: key('text'), since: instant }),
  });

export const noticeTable = (place: TablePlace): EntitySchema<NoticeRow> =>
  new EntitySchema<NoticeRow>({
    ...place('approval_notice'),
    columns: columns<NoticeRow>({
      event_id: key('uuid'),
      notifier: key('text'),
      attempts: integer,
      next_at: instant,
      settled_at: orNull(instant),
      error: orNull(text),
    }),
    indices: [
      { name: 'approval_notice_due', columns: ['next_at'], synchronize: false },
      { name: 'approval_notice_settled', columns: ['settled_at'], synchronize: false },
    ],
  });

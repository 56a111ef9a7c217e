import { EntitySchema } from 'typeorm';
import type { DeferralStatus } from '../../../contracts/ports/stored.deferral.js';
import { columns, flag, instant, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/** A row of `deferred_call`. `shown`, `metadata`, `result` are JSON text. */
export interface DeferralRow {
  readonly operation_id: string;
  readonly run_id: string;
  readonly tool_call_id: string;
  readonly tool_name: string;
  readonly shown: string;
  readonly arguments_digest: string;
  readonly metadata: string;
  readonly executed: boolean;
  readonly status: DeferralStatus;
  readonly requested_at: Date;
  readonly result: string | null;
  readonly result_digest: string | null;
  readonly answered_by: string | null;
  readonly answered_at: Date | null;
}

export const deferralTable = (place: TablePlace): EntitySchema<DeferralRow> =>
  new EntitySchema<DeferralRow>({
    ...place('deferred_call'),
    columns: columns<DeferralRow>({
      operation_id: key('uuid'),
      run_id: uuid,
      tool_call_id: text,
      tool_name: text,
      shown: text,
      arguments_digest: text,
      metadata: text,
      executed: flag,
      status: text,
      requested_at: instant,
      result: orNull(text),
      result_digest: orNull(text),
      answered_by: orNull(text),
      answered_at: orNull(instant),
    }),
    indices: [{ name: 'deferred_call_run', columns: ['run_id', 'status'] }],
  });

import { EntitySchema } from 'typeorm';
import { columns, instant, key, orNull, text, uuid } from './columns.js';
import type { TablePlace } from './table.place.js';

/** A thread and whose it is. */
export interface ThreadRow {
  readonly id: string;
  readonly owner_key: string;
  readonly organization_id: string | null;
  readonly principal_id: string | null;
  readonly created_at: Date;
}

/** A message of a thread; `body` is its JSON, `position` a bigint. */
export interface MessageRow {
  readonly position: string;
  readonly thread_id: string;
  readonly run_id: string;
  readonly message_id: string;
  readonly body: string;
}

export const threadTable = (place: TablePlace): EntitySchema<ThreadRow> =>
  new EntitySchema<ThreadRow>({
    ...place('thread'),
    columns: columns<ThreadRow>({
      id: key('text'),
      owner_key: text,
      organization_id: orNull(text),
      principal_id: orNull(text),
      created_at: instant,
    }),
  });

export const messageTable = (place: TablePlace): EntitySchema<MessageRow> =>
  new EntitySchema<MessageRow>({
    ...place('thread_message'),
    columns: columns<MessageRow>({
      position: { type: 'bigint', primary: true, generated: 'increment' },
      thread_id: text,
      run_id: uuid,
      message_id: text,
      body: text,
    }),
    indices: [{ name: 'thread_message_thread', columns: ['thread_id', 'position'] }],
  });

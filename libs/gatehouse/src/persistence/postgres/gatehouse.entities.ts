import type { EntitySchema } from 'typeorm';
import { checkedSchema, DEFAULT_SCHEMA } from '../../../../../migrations/schema.name.js';
import { approvalTable, voteTable, type ApprovalRow, type VoteRow } from './tables/approval.tables.js';
import { approvalEventTable, noticeTable, notifierTable } from './tables/approval.event.tables.js';
import { deferralTable } from './tables/deferral.tables.js';
import { executionView, operationView, terminalView, timelineView } from './tables/evidence.tables.js';
import { eventTable, runTable, segmentTable, stepTable, type EventRow, type StepRow } from './tables/run.tables.js';
import { tablePlace } from './tables/table.place.js';
import { messageTable, threadTable, type MessageRow, type ThreadRow } from './tables/thread.tables.js';

/** The entities of one schema. */
export interface GatehouseEntities {
  readonly step: EntitySchema<StepRow>;
  readonly event: EntitySchema<EventRow>;
  readonly thread: EntitySchema<ThreadRow>;
  readonly message: EntitySchema<MessageRow>;
  readonly approval: EntitySchema<ApprovalRow>;
  readonly vote: EntitySchema<VoteRow>;
  readonly all: readonly EntitySchema[];
}

/** Makes the entities of one schema. @param synchronize see `tablePlace` */
export function makeEntities(schema: string, synchronize: boolean): GatehouseEntities {
  const place = tablePlace(checkedSchema(schema), synchronize);
  const step = stepTable(place);
  const event = eventTable(place);
  const thread = threadTable(place);
  const message = messageTable(place);
  const approval = approvalTable(place);
  const vote = voteTable(place);
  const others = [
    runTable(place),
    segmentTable(place),
    executionView(place),
    operationView(place),
    terminalView(place),
    timelineView(place),
    approvalEventTable(place),
    notifierTable(place),
    noticeTable(place),
    deferralTable(place),
  ];
  const all = [step, event, thread, message, approval, vote, ...others] as readonly EntitySchema[];
  return Object.freeze({ step, event, thread, message, approval, vote, all: Object.freeze(all) });
}

// TypeORM knows an entity by its object, and a data source that is opened twice in one process must meet the same ones.
// Nothing here changes once made, so applications cannot meet in it.
const MADE = new Map<string, GatehouseEntities>();

/** The entities of one schema, always the same objects. */
export function entitiesOf(schema: string): GatehouseEntities {
  const made = MADE.get(schema) ?? makeEntities(schema, false);
  MADE.set(schema, made);
  return made;
}

/**
 * Gatehouse's TypeORM entities, for a data source that lists its entities itself instead of `autoLoadEntities: true`.
 *
 * @example
 * ```ts
 * TypeOrmModule.forRoot({ type: 'postgres', url, entities: [...gatehouseEntities(), Order, Customer] });
 * ```
 */
export function gatehouseEntities(schema: string = DEFAULT_SCHEMA): EntitySchema[] {
  return [...entitiesOf(schema).all];
}

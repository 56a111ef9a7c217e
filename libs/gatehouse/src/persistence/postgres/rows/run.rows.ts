import type { JsonValue } from '../../../contracts/json.js';
import type { RunLimits } from '../../../contracts/limits.js';
import type { NewRun, RunCounters, StoredRun } from '../../../contracts/ports/stored.run.js';
import type { Principal } from '../../../contracts/principal.js';
import { bodyOf, bodyText, shownBody } from '../../checkpoint/checkpoint.body.js';
import type { CheckpointPart } from '../../checkpoint/checkpoint.upgrades.js';
import { CHECKPOINT_VERSION } from '../../checkpoint/checkpoint.version.js';
import type { RunRow } from '../tables/run.tables.js';
import { parsed, present } from './json.text.js';

/** A run as the ports show it. */
export function storedRun(row: RunRow): StoredRun {
  const newer = row.checkpoint_version > CHECKPOINT_VERSION;
  // A list must not break on a run that somebody newer drives: nobody here goes on with it.
  const body = <T>(part: CheckpointPart, text: string): T =>
    newer ? shownBody<T>(text) : bodyOf<T>(part, text, runNamed(row.id));
  return Object.freeze({
    id: row.id,
    threadId: row.thread_id,
    agent: row.agent,
    local: row.local,
    segment: row.segment,
    limits: body<RunLimits>('limits', row.limits),
    digestKey: row.digest_key,
    state: body<Record<string, JsonValue>>('state', row.state),
    status: row.status,
    epoch: row.epoch,
    owner: row.owner,
    step: row.step,
    counters: body<RunCounters>('counters', row.counters),
    lastSeq: row.last_seq,
    startedAt: row.started_at,
    ...(newer ? { newerCheckpoint: row.checkpoint_version } : {}),
    ...optional(row),
  });
}

function optional(row: RunRow): Partial<StoredRun> {
  const { cancel_source: source, cancel_reason: reason } = row;
  return present({
    user: row.principal === null ? null : parsed<Principal>(row.principal),
    organizationId: row.organization_id,
    ipAddress: row.ip_address,
    instructions: row.instructions,
    tools: row.tools === null ? null : parsed<string[]>(row.tools),
    parentRunId: row.parent_run_id,
    parentOperationId: row.parent_operation_id,
    cancelRequested: source === null ? null : { source, reason: reason ?? '' },
    finishedAt: row.finished_at,
    eventsExpiredAt: row.events_expired_at,
  });
}

/** Whose body it is, in words. */
export const runNamed = (id: string): string => `Run ${id}`;

/** What is stored of a new run, in the order of `NEW_RUN_COLUMNS`. */
export function newRunValues(run: NewRun, ownerKey: string, principalId: string | undefined): unknown[] {
  return [
    run.id,
    run.threadId,
    ownerKey,
    run.agent,
    run.local,
    run.segment,
    run.organizationId,
    principalId,
    run.user === undefined ? null : JSON.stringify(run.user),
    run.ipAddress,
    run.instructions,
    run.tools === undefined ? null : JSON.stringify(run.tools),
    bodyText(run.limits),
    run.digestKey,
    bodyText(run.state),
    run.parentRunId,
    run.parentOperationId,
    CHECKPOINT_VERSION,
  ];
}

export const NEW_RUN_COLUMNS =
  'id, thread_id, owner_key, agent, local, segment, organization_id, principal_id, principal, ip_address, instructions, tools, ' +
  'limits, digest_key, state, parent_run_id, parent_operation_id, checkpoint_version';

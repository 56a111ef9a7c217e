import type { JsonValue } from '../../../contracts/json.js';
import type { RunLimits } from '../../../contracts/limits.js';
import type { NewRun, RunCounters, StoredRun } from '../../../contracts/ports/stored.run.js';
import type { Principal } from '../../../contracts/principal.js';
import type { RunRow } from '../tables/run.tables.js';
import { parsed, present } from './json.text.js';

/** A run as the ports show it. */
export function storedRun(row: RunRow): StoredRun {
  return Object.freeze({
    id: row.id,
    threadId: row.thread_id,
    agent: row.agent,
    local: row.local,
    segment: row.segment,
    limits: parsed<RunLimits>(row.limits),
    digestKey: row.digest_key,
    state: parsed<Record<string, JsonValue>>(row.state),
    status: row.status,
    epoch: row.epoch,
    owner: row.owner,
    step: row.step,
    counters: parsed<RunCounters>(row.counters),
    lastSeq: row.last_seq,
    startedAt: row.started_at,
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
  });
}

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
    JSON.stringify(run.limits),
    run.digestKey,
    JSON.stringify(run.state),
    run.parentRunId,
    run.parentOperationId,
  ];
}

export const NEW_RUN_COLUMNS =
  'id, thread_id, owner_key, agent, local, segment, organization_id, principal_id, principal, ip_address, instructions, tools, ' +
  'limits, digest_key, state, parent_run_id, parent_operation_id';

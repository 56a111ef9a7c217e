import type { JsonObject, JsonValue } from '../../../contracts/json.js';
import type { StoredDeferral } from '../../../contracts/ports/stored.deferral.js';
import type { StoredResult } from '../../../contracts/ports/stored.step.js';
import type { DeferralRow } from '../tables/deferral.tables.js';
import { parsed, present } from './json.text.js';

/** A deferred call as the ports show it. */
export function storedDeferral(row: DeferralRow): StoredDeferral {
  return Object.freeze({
    operationId: row.operation_id,
    runId: row.run_id,
    toolCallId: row.tool_call_id,
    toolName: row.tool_name,
    args: parsed<JsonValue>(row.shown),
    argumentsDigest: row.arguments_digest,
    metadata: parsed<JsonObject>(row.metadata),
    status: row.status,
    requestedAt: row.requested_at,
    ...present({
      executed: row.executed ? (true as const) : null,
      result: row.result === null ? null : parsed<StoredResult>(row.result),
      resultDigest: row.result_digest,
      answeredBy: row.answered_by,
      answeredAt: row.answered_at,
    }),
  });
}

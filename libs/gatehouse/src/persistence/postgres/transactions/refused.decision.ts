import type { RefusedDecision } from '../../../contracts/approval.event.js';
import { isUuid } from '../../../values/ids.js';
import { sanitizeText } from '../../../values/sanitizer.js';
import { visibleText } from '../../../values/visible-text.js';
import type { Sql } from '../sql.js';

/** Appends that somebody tried to decide what they may not; the same attempt within a minute is one. */
export async function appendRefusedDecision(sql: Sql, attempt: RefusedDecision): Promise<void> {
  const { approvalId, principalId, why } = attempt;
  if (!isUuid(approvalId)) return;
  const { approval, approvalEvent } = sql.tables;
  await sql.run(
    `INSERT INTO ${approvalEvent} (id, approval_id, run_id, organization_id, tool_name, kind, principal_id, detail, at)
      SELECT gen_random_uuid(), a.id, a.run_id, a.organization_id, a.tool_name, 'refused', $2::text, $3::text, clock_timestamp() FROM ${approval} a
      WHERE a.id = $1 AND NOT EXISTS (SELECT FROM ${approvalEvent} e WHERE e.approval_id = a.id AND e.kind = 'refused'
        AND e.principal_id IS NOT DISTINCT FROM $2::text AND e.detail = $3::text
        AND e.at > clock_timestamp() - interval '1 minute')`,
    [approvalId, principalId === undefined ? null : visibleText(principalId), sanitizeText(why)],
  );
}

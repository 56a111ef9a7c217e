import type { ApprovalEvent, ApprovalEventKind } from '../../contracts/approval.event.js';
import type { ApprovalStatus } from '../../contracts/statuses.js';
import { newId } from '../../values/ids.js';
import type { MemoryApproval } from './memory.state.js';

type Told = Partial<Pick<ApprovalEvent, 'status' | 'principalId' | 'detail'>>;

/** Appends what happened to an approval. */
export function chronicle(approval: MemoryApproval, kind: ApprovalEventKind, at: Date, told: Told = {}): void {
  const { asked } = approval;
  const { status = null, principalId = null, detail = null } = told;
  const of = { approvalId: asked.id, runId: asked.runId, organizationId: asked.organizationId ?? null };
  const event = { id: newId(), ...of, toolName: asked.toolName, kind, status, principalId, detail, at };
  approval.history.push(Object.freeze(event));
}

/** Gives an approval another status, and says so in its history. */
export function become(approval: MemoryApproval, status: ApprovalStatus, at: Date): void {
  const kind = kindOf(approval.status, status);
  approval.status = status;
  const { resolution, reason } = approval;
  if (kind === 'resolved') {
    chronicle(approval, kind, at, {
      status: resolution?.outcome ?? null,
      principalId: resolution?.by ?? null,
      detail: resolution?.note ?? null,
    });
    return;
  }
  chronicle(approval, kind, at, { status, detail: kind === 'decided' ? (reason ?? null) : null });
}

function kindOf(before: ApprovalStatus, status: ApprovalStatus): ApprovalEventKind {
  if (before === 'pending') return 'decided';
  if (status === 'executing') return 'claimed';
  if (status === 'unknown') return 'lost';
  if (before === 'unknown') return 'resolved';
  return status === 'done' ? 'settled' : 'withdrawn';
}

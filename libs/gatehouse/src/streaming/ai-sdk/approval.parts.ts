import type { Decision } from '../../contracts/approval.js';
import { isObject, isWireId } from '../http/fields.js';

const LONGEST_REASON = 4_000;

/**
 * What the parts of an assistant message answer: those in the state `approval-responded`. Of a part only the id of its approval counts, and what is said to
 * it; its tool and its input are the client's copy. Consent is a boolean that says so. An id answered twice is answered by what comes first.
 */
export function answersIn(parts: unknown): readonly Decision[] {
  const answers = new Map<string, Decision>();
  for (const part of Array.isArray(parts) ? parts : []) {
    const answer = answerOf(part);
    if (answer !== undefined && !answers.has(answer.approvalId)) answers.set(answer.approvalId, answer);
  }
  return [...answers.values()];
}

function answerOf(part: unknown): Decision | undefined {
  if (!isObject(part) || part['state'] !== 'approval-responded' || !isObject(part['approval'])) return undefined;
  const { id, approved, reason } = part['approval'];
  if (!isWireId(id)) return undefined;
  const words = typeof reason === 'string' && reason.trim() !== '' ? { reason: reason.slice(0, LONGEST_REASON) } : {};
  return Object.freeze({ approvalId: id, approved: approved === true, ...words });
}

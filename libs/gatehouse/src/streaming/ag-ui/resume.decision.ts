import type { Decision } from '../../contracts/approval.js';
import type { JsonObject } from '../../contracts/json.js';
import { isObject } from '../http/fields.js';
import type { ResumeEntry } from './resume.entry.js';

const LONGEST_REASON = 4_000;

/**
 * What one answered interrupt decides. Consent is a boolean that says so: whatever else a payload holds is a denial, and so are `editedArgs` that are no
 * object, for a person who meant to change something did not agree to the original.
 */
export function decisionOf({ interruptId: approvalId, status, payload }: ResumeEntry): Decision {
  if (status === 'cancelled') return Object.freeze({ approvalId, approved: false, reason: 'Cancelled by user.' });
  const answer: JsonObject = isObject(payload) ? payload : {};
  const { editedArgs } = answer;
  const edited = editedArgs !== undefined && editedArgs !== null;
  const approved = answer['approved'] === true && (!edited || isObject(editedArgs));
  return Object.freeze({
    approvalId,
    approved,
    ...text('reason', answer),
    ...text('note', answer),
    ...(approved && isObject(editedArgs) ? { editedArgs } : {}),
  });
}

function text(name: 'reason' | 'note', answer: JsonObject): { readonly reason?: string; readonly note?: string } {
  const value = answer[name];
  return typeof value === 'string' && value.trim() !== '' ? { [name]: value.slice(0, LONGEST_REASON) } : {};
}

import type { ExternalResult } from '../../contracts/deferred.call.js';
import { isObject } from '../http/fields.js';
import type { ResumeEntry } from './resume.entry.js';

/**
 * What one answered interrupt says where it stands for a deferred call: `payload.result`, or `payload.error`, words for the model. Nothing where the payload
 * holds neither, or both.
 */
export function resultOf({ interruptId: operationId, status, payload }: ResumeEntry): ExternalResult | undefined {
  if (status === 'cancelled') return Object.freeze({ operationId, error: 'Cancelled by user.' });
  if (!isObject(payload)) return undefined;
  const { result, error } = payload;
  const failed = typeof error === 'string' && error.trim() !== '';
  if (('result' in payload && result !== undefined) === failed) return undefined;
  return Object.freeze(failed ? { operationId, error } : { operationId, value: result });
}

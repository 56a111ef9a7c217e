import { brand, GatehouseError } from './gatehouse.error.js';

/** An intent cannot be resolved: its call may still be running, it has an outcome, or there is no such intent. */
@brand('IntentConflictError')
export class IntentConflictError extends GatehouseError {
  constructor(
    readonly intentId: string,
    readonly why: 'running' | 'closed' | 'unknown intent',
  ) {
    super(`The intent ${intentId} cannot be resolved: ${WORDS[why]}.`);
  }
}

const WORDS = {
  running: 'its run still goes on, and may tell by itself',
  closed: 'it has an outcome already',
  'unknown intent': 'there is no intent of this id',
} as const;

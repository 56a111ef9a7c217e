import { ApprovalVoidError } from './approval-void.error.js';
import { brand } from './gatehouse.error.js';

/** What is stored of an approval is not known to be what a person approved: it does not carry the signature, or the digest, that it must. */
@brand('ApprovalUnverifiedError')
export class ApprovalUnverifiedError extends ApprovalVoidError {}

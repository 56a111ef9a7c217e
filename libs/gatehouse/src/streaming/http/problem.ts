import { STATUS_CODES } from 'node:http';

import { HttpException } from '@nestjs/common';

import { ApprovalConflictError } from '../../contracts/errors/approval-conflict.error.js';
import { ApprovalEditError } from '../../contracts/errors/approval-edit.error.js';
import { ApprovalForbiddenError } from '../../contracts/errors/approval-forbidden.error.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import { EventsExpiredError } from '../../contracts/errors/events-expired.error.js';
import { DeferredCallNotFoundError } from '../../contracts/errors/deferred-call-not-found.error.js';
import { ExternalResultConflictError } from '../../contracts/errors/external-result-conflict.error.js';
import type { GatehouseError } from '../../contracts/errors/gatehouse.error.js';
import { InvalidArgumentsError } from '../../contracts/errors/invalid-arguments.error.js';
import { InvalidQueryError } from '../../contracts/errors/invalid-query.error.js';
import { NewerCheckpointError } from '../../contracts/errors/newer-checkpoint.error.js';
import { RunConflictError } from '../../contracts/errors/run-conflict.error.js';
import { RunNotFoundError } from '../../contracts/errors/run-not-found.error.js';
import { RunNotResumableError } from '../../contracts/errors/run-not-resumable.error.js';
import { ShuttingDownError } from '../../contracts/errors/shutting-down.error.js';
import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import { ThreadNotFoundError } from '../../contracts/errors/thread-not-found.error.js';
import { VerificationRunningError } from '../../contracts/errors/verification-running.error.js';
import { ProblemError } from './problem.error.js';

/** What a client is told of an error: never a driver's text. */
export interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  /** Seconds, where trying again makes sense. */
  readonly retryAfter?: number;
}

type Kind = abstract new (...args: never[]) => GatehouseError;

/** Errors of ours whose message is written for whoever caused them. */
const TOLD: readonly (readonly [Kind, number, string])[] = [
  [ApprovalNotFoundError, 404, 'approval_not_found'],
  [ApprovalConflictError, 409, 'approval_conflict'],
  [ApprovalForbiddenError, 403, 'approval_forbidden'],
  [ApprovalEditError, 422, 'approval_invalid'],
  [InvalidArgumentsError, 422, 'approval_invalid'],
  [InvalidQueryError, 400, 'invalid_request'],
  [ThreadNotFoundError, 404, 'thread_not_found'],
  [RunNotFoundError, 404, 'run_not_found'],
  [DeferredCallNotFoundError, 404, 'deferred_call_not_found'],
  [ExternalResultConflictError, 409, 'external_result_conflict'],
  [RunConflictError, 409, 'run_conflict'],
  [EventsExpiredError, 410, 'events_expired'],
  [RunNotResumableError, 409, 'run_not_resumable'],
];

/** The one translation of errors into what HTTP and AG-UI say of them. */
export function problemOf(error: unknown): Problem {
  if (error instanceof ProblemError) return { status: error.status, code: error.code, detail: error.message };
  for (const [kind, status, code] of TOLD) if (error instanceof kind) return { status, code, detail: error.message };
  if (error instanceof ShuttingDownError)
    return { status: 503, code: 'shutting_down', detail: error.message, retryAfter: 5 };
  if (error instanceof NewerCheckpointError)
    return { status: 503, code: 'newer_checkpoint', detail: error.message, retryAfter: 5 };
  if (error instanceof VerificationRunningError)
    return { status: 429, code: 'verification_running', detail: error.message, retryAfter: 30 };
  if (error instanceof StorageUnavailableError) {
    return {
      status: 503,
      code: 'storage_unavailable',
      detail: 'The store does not answer. Try again later.',
      retryAfter: 5,
    };
  }
  if (error instanceof HttpException) return { ...named(error.getStatus()), detail: error.message };
  const status = bodyParserStatus(error);
  if (status !== undefined) return named(status);
  return {
    status: 500,
    code: 'internal_error',
    detail: 'Something went wrong here. Name the correlation id when you report it.',
  };
}

const named = (status: number): Problem => {
  const title = STATUS_CODES[status] ?? 'Error';
  return { status, code: title.toLowerCase().replace(/[^a-z]+/g, '_'), detail: `${title}.` };
};

// What `http-errors` makes, such as the body parser's 413: the status is meant for the client, the text may quote the body.
const bodyParserStatus = (error: unknown): number | undefined => {
  if (!(error instanceof Error) || !('expose' in error) || !('status' in error)) return undefined;
  const { expose, status } = error;
  return expose === true && typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
};

import { ForbiddenException, HttpException, UnauthorizedException } from '@nestjs/common';

import { ApprovalConflictError } from '../../contracts/errors/approval-conflict.error.js';
import { ApprovalEditError } from '../../contracts/errors/approval-edit.error.js';
import { ApprovalForbiddenError } from '../../contracts/errors/approval-forbidden.error.js';
import { ApprovalNotFoundError } from '../../contracts/errors/approval-not-found.error.js';
import { RunConflictError } from '../../contracts/errors/run-conflict.error.js';
import { RunNotResumableError } from '../../contracts/errors/run-not-resumable.error.js';
import { ShuttingDownError } from '../../contracts/errors/shutting-down.error.js';
import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import { ThreadNotFoundError } from '../../contracts/errors/thread-not-found.error.js';
import { badField } from './problem.error.js';
import { problemOf } from './problem.js';

const said = (error: unknown): string => {
  const { status, code, retryAfter } = problemOf(error);
  return [status, code, ...(retryAfter === undefined ? [] : [`after ${retryAfter}`])].join(' ');
};
const driver = new Error('select * from secret: connection to postgres://user:pass@db failed');

describe('problemOf', () => {
  it.each([
    [badField('approved', 'must be true or false'), '400 invalid_request'],
    [new ApprovalNotFoundError('a'), '404 approval_not_found'],
    [new ApprovalConflictError('a', 'denied'), '409 approval_conflict'],
    [new ApprovalForbiddenError('a', 'no'), '403 approval_forbidden'],
    [new ApprovalEditError('a', ['x']), '422 approval_invalid'],
    [new ThreadNotFoundError('t'), '404 thread_not_found'],
    [new RunConflictError('used'), '409 run_conflict'],
    [new RunNotResumableError('r', 'no'), '409 run_not_resumable'],
    [new ShuttingDownError(), '503 shutting_down after 5'],
    [new StorageUnavailableError('read', { cause: driver }), '503 storage_unavailable after 5'],
    [new UnauthorizedException(), '401 unauthorized'],
    [new ForbiddenException(), '403 forbidden'],
    [new HttpException('x', 418), '418 i_m_a_teapot'],
    [Object.assign(new Error('request entity too large'), { expose: true, status: 413 }), '413 payload_too_large'],
    [Object.assign(new Error('secret'), { expose: false, status: 404 }), '500 internal_error'],
    [driver, '500 internal_error'],
    ['thrown text', '500 internal_error'],
    [undefined, '500 internal_error'],
  ])('%s', (error, expected) => {
    expect(said(error)).toBe(expected);
  });

  it('never repeats a text that is not ours', () => {
    const texts = [driver, new StorageUnavailableError('read', { cause: driver })].map(
      (error) => problemOf(error).detail,
    );
    expect(texts).toEqual([
      'Something went wrong here. Name the correlation id when you report it.',
      'The store does not answer. Try again later.',
    ]);
  });
});

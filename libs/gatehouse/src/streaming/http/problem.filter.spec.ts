import type { ServerResponse } from 'node:http';

import type { ArgumentsHost } from '@nestjs/common';

import { StorageUnavailableError } from '../../contracts/errors/storage-unavailable.error.js';
import { captureLog } from '../../testing/captured.log.js';
import { ProblemFilter } from './problem.filter.js';

const DRIVER = new Error('connect ECONNREFUSED postgres://desk:secret@db');

describe('ProblemFilter', () => {
  const log = captureLog();
  afterAll(() => log.release());

  const answered = (error: unknown): { readonly status: number; readonly body: string } => {
    let body = '';
    const response = {
      headersSent: false,
      statusCode: 0,
      setHeader: () => undefined,
      end: (text: string) => void (body = text),
    };
    const http = { getResponse: () => response as unknown as ServerResponse };
    new ProblemFilter().catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
    return { status: response.statusCode, body };
  };

  it('logs why the store did not answer, by the correlation id that the client is told; the client is told no more', () => {
    const error = new StorageUnavailableError('read a run', { cause: new Error('in between', { cause: DRIVER }) });
    const { status, body } = answered(error);
    const { code, correlationId } = JSON.parse(body) as { code: string; correlationId: string };
    expect([status, code]).toEqual([503, 'storage_unavailable']);
    expect(body).not.toMatch(/ECONNREFUSED|secret|in between/);
    const [line] = log.lines.splice(0);
    expect(line?.message).toBe(`storage_unavailable (${correlationId})`);
    expect(line?.stack).toMatch(/read a run[^]*Caused by: Error: in between[^]*Caused by: Error: connect ECONNREFUSED/);
  });

  it('ends a chain of causes that never ends', () => {
    const error: Error & { cause?: unknown } = new Error('round');
    error.cause = error;
    expect(answered(error).status).toBe(500);
    expect(log.lines.splice(0)[0]?.stack?.split('Caused by:')).toHaveLength(5);
  });
});

import { STATUS_CODES, type ServerResponse } from 'node:http';

import { Catch, Logger, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';

import { describeError } from '../../values/error-text.js';
import { newId } from '../../values/ids.js';
import { problemOf } from './problem.js';

/**
 * Answers every error of our controllers as RFC 9457 problem details with a correlation id. They carry it already; mount it globally too where
 * errors from before any controller (a body that is too large) should read the same: `app.useGlobalFilters(new ProblemFilter())`.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('gatehouse.http');

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const { status, code, detail, retryAfter } = problemOf(error);
    const correlationId = newId();
    if (status >= 500) this.log(error, `${code} (${correlationId})`);
    if (response.headersSent) {
      response.end();
      return;
    }
    response.statusCode = status;
    response.setHeader('Content-Type', 'application/problem+json');
    response.setHeader('Cache-Control', 'no-store');
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    response.end(
      JSON.stringify({
        type: 'about:blank',
        title: STATUS_CODES[status] ?? 'Error',
        status,
        detail,
        code,
        correlationId,
      }),
    );
  }

  private log(error: unknown, what: string): void {
    // What a store or a library below it said is for the log alone: clients are told by `problemOf`.
    this.logger.error(what, error instanceof Error ? describeChain(error) : String(error));
  }
}

const LONGEST_CHAIN = 5;

/** The stacks of an error and its causes. Only those: other members of a driver's error may hold what was written. */
function describeChain(error: Error): string {
  const stacks: string[] = [];
  for (let at: unknown = error; at instanceof Error && stacks.length < LONGEST_CHAIN; at = at.cause)
    stacks.push(at.stack ?? describeError(at));
  return stacks.join('\nCaused by: ');
}

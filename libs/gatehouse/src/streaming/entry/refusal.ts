import type { MessageEvent } from '@nestjs/common';
import { of, type Observable } from 'rxjs';

import type { ClientConnection } from '../client.connection.js';
import { problemOf, type Problem } from '../http/problem.js';
import { encodeError } from './frame.encoder.js';

/** What a client is told on the stream; nothing where the fault is ours, which plain HTTP says better. */
export function told(error: unknown): Problem | undefined {
  const problem = problemOf(error);
  return problem.status >= 500 ? undefined : problem;
}

/** A stream of one `RUN_ERROR`: the whole request decided nothing. Its id is before any frame. */
export function refusal(connection: ClientConnection, { detail, code }: Problem): Observable<MessageEvent> {
  connection.finished();
  return of({ id: '0', data: encodeError(detail, code) });
}

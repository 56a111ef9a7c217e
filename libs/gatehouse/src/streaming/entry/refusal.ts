import type { MessageEvent } from '@nestjs/common';
import { from, type Observable } from 'rxjs';

import { problemOf, type Problem } from '../http/problem.js';
import type { RunEntry } from './run.entry.js';

/** What a client is told on the stream; nothing where the fault is ours, which plain HTTP says better. */
export function told(error: unknown): Problem | undefined {
  const problem = problemOf(error);
  return problem.status >= 500 ? undefined : problem;
}

/** A stream of one error: the whole request decided nothing. Its id is before any frame. */
export function refusal(
  { connection, protocol }: Pick<RunEntry, 'connection' | 'protocol'>,
  { detail, code }: Problem,
): Observable<MessageEvent> {
  connection.finished();
  return from(protocol.error(detail, code).map((data) => ({ id: '0', data })));
}

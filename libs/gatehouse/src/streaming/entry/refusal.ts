import type { MessageEvent } from '@nestjs/common';
import type { Observable } from 'rxjs';

import { problemOf, type Problem } from '../http/problem.js';
import type { RunEntry } from './run.entry.js';
import { unstored } from './unstored.events.js';

/** What a client is told on the stream; nothing where the fault is ours, which plain HTTP says better. */
export function told(error: unknown): Problem | undefined {
  const problem = problemOf(error);
  return problem.status >= 500 ? undefined : problem;
}

/** A stream of one error: the whole request decided nothing. */
export function refusal(
  { connection, protocol }: Pick<RunEntry, 'connection' | 'protocol'>,
  { detail, code }: Problem,
): Observable<MessageEvent> {
  connection.finished();
  return unstored(protocol.error(detail, code));
}

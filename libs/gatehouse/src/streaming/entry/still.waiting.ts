import type { MessageEvent } from '@nestjs/common';
import type { Observable } from 'rxjs';

import type { AnnouncedApproval, AnnouncedDeferral, RunEvent } from '../../contracts/run.events.js';
import type { WireRun } from '../stream.protocol.js';
import type { RunEntry } from './run.entry.js';
import { unstored } from './unstored.events.js';

/** A segment that says only what the run still waits for: the answers count, and somebody else must answer too. Nothing of it is stored. */
export function stillWaiting(
  { connection, protocol, input }: Pick<RunEntry, 'connection' | 'protocol' | 'input'>,
  run: WireRun,
  approvals: readonly AnnouncedApproval[],
  deferred: readonly AnnouncedDeferral[] = [],
): Observable<MessageEvent> {
  const { segment } = input;
  const events: readonly RunEvent[] = [
    { type: 'run.started', runId: run.runId, threadId: run.threadId, segment },
    { type: 'run.suspended', segment, approvals, deferred },
  ];
  const encoder = protocol.encoder(run, 1);
  const texts = events.flatMap((event, at) => encoder.encode({ seq: at + 1, event }));
  connection.finished();
  return unstored(texts);
}

import { Injectable, type MessageEvent } from '@nestjs/common';
import { EMPTY, type Observable } from 'rxjs';

import { RunStillWaitingError } from '../../contracts/errors/run-still-waiting.error.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { Announcements } from '../../runs/announcements.js';
import { AgentRunner } from '../../runs/agent.runner.js';
import { isOwn, runOwner } from '../access.js';
import type { ActiveSegment } from '../ai-sdk/active.segment.js';
import { Disconnects } from '../disconnects.js';
import { badField, notFound } from '../http/problem.error.js';
import { RunStreams } from '../run.streams.js';
import { newMessages } from './new.messages.js';
import { refusal, told } from './refusal.js';
import { comesTooLate, RepeatedAnswers } from './repeated.answers.js';
import { ResumeAnswers, type ReadAnswers } from './resume.answers.js';
import type { RunEntry } from './run.entry.js';
import { stillWaiting } from './still.waiting.js';
import { refuseUsedSegment } from './used.segment.js';

/** Answers the approvals and deferred calls that a suspended run waits for, and streams the segment that follows. All answers count, or none. */
@Injectable()
export class RunResumer {
  constructor(
    private readonly reader: RunReader,
    private readonly answers: ResumeAnswers,
    private readonly runner: AgentRunner,
    private readonly streams: RunStreams,
    private readonly disconnects: Disconnects,
    private readonly announcements: Announcements,
    private readonly repeated: RepeatedAnswers,
  ) {}

  async resume(entry: RunEntry): Promise<Observable<MessageEvent>> {
    const { threadId, segment } = entry.input;
    const owner = await this.reader.threadOwner(threadId);
    if (owner === undefined || !(await entry.access.thread(entry.principal, threadId, owner))) throw notFound('thread');
    await refuseUsedSegment(this.reader, entry.principal, segment);
    if (newMessages(entry.input, await this.reader.messages(threadId)).length > 0) {
      throw badField('messages', 'must hold no new message beside answers: send it in a request of its own');
    }
    try {
      return await this.answered(entry);
    } catch (error) {
      const said = told(error);
      if (said === undefined) throw error;
      return refusal(entry, said);
    }
  }

  private async answered(entry: RunEntry): Promise<Observable<MessageEvent>> {
    try {
      return await this.goOn(entry, await this.answers.read(entry));
    } catch (error) {
      const segment = comesTooLate(error) ? await this.repeated.segment(entry) : undefined;
      if (segment === undefined) throw error;
      return this.follow(entry, segment);
    }
  }

  /** Whoever says once more what stands already reads what came of it. */
  private async follow(entry: RunEntry, { run, firstSeq }: ActiveSegment): Promise<Observable<MessageEvent>> {
    const { principal, connection, protocol } = entry;
    if (connection.gone) return EMPTY;
    await this.disconnects.watch({ runId: run.id, connection, owned: isOwn(principal, runOwner(run)) });
    entry.announce(run.id);
    const wire = { runId: run.id, threadId: run.threadId };
    const from = firstSeq - 1;
    return this.streams.open({ run: wire, protocol, connection, from, after: from, until: 'segment' });
  }

  private async goOn(entry: RunEntry, { run, ...given }: ReadAnswers): Promise<Observable<MessageEvent>> {
    const { principal: user, connection, protocol } = entry;
    if (connection.gone) return EMPTY;
    const handle = this.runner.resume({ runId: run.id, user, ...given, segment: entry.input.segment });
    void this.disconnects.watch({ runId: run.id, connection, owned: true, started: handle.started });
    const wire = { runId: run.id, threadId: run.threadId };
    const started = await handle.started.catch(onlyWaiting);
    entry.announce(run.id);
    if (started instanceof RunStillWaitingError) {
      const approvals = started.approvals.map((approval) => this.announcements.announced(approval));
      const deferred = started.deferred.map((call) => this.announcements.deferred(call));
      return stillWaiting(entry, wire, approvals, deferred);
    }
    const { firstSeq } = started;
    const from = firstSeq - 1;
    return this.streams.open({ run: wire, protocol, connection, from, after: from, until: 'segment' });
  }
}

const onlyWaiting = (error: unknown): RunStillWaitingError => {
  if (error instanceof RunStillWaitingError) return error;
  throw error;
};

import { Injectable, type MessageEvent } from '@nestjs/common';
import { EMPTY, type Observable } from 'rxjs';

import { RunConflictError } from '../../contracts/errors/run-conflict.error.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { AgentRegistry } from '../../runs/agent.registry.js';
import { AgentRunner } from '../../runs/agent.runner.js';
import { RunTable } from '../../runs/run.table.js';
import { Disconnects } from '../disconnects.js';
import { notFound, ProblemError } from '../http/problem.error.js';
import { RemoteLeave } from '../remote.leave.js';
import { RunStreams } from '../run.streams.js';
import { underWay } from '../under.way.js';
import { messagesToAnswer } from './new.messages.js';
import type { RunEntry } from './run.entry.js';
import { refuseUsedSegment } from './used.segment.js';

const noDefault = (): ProblemError =>
  new ProblemError(404, 'agent_not_found', 'There is no default agent, or none that you may start.');

/** Starts a run for a client and streams its first segment. */
@Injectable()
export class RunStarter {
  constructor(
    private readonly reader: RunReader,
    private readonly agents: AgentRegistry,
    private readonly runner: AgentRunner,
    private readonly streams: RunStreams,
    private readonly disconnects: Disconnects,
    private readonly table: RunTable,
    private readonly remoteLeave: RemoteLeave,
  ) {}

  async start(entry: RunEntry): Promise<Observable<MessageEvent>> {
    const { principal, connection, protocol } = entry;
    const { threadId, segment } = entry.input;
    const agent = await this.permittedAgent(entry);
    const owner = await this.reader.threadOwner(threadId);
    if (!(await entry.access.thread(principal, threadId, owner))) throw notFound('thread');
    await refuseUsedSegment(this.reader, principal, segment);
    await this.settled(threadId);
    const stored = owner === undefined ? [] : await this.reader.messages(threadId);
    const input = messagesToAnswer(entry.input, stored);
    if (input.length === 0 && entry.input.again !== true) await this.refuseWhileWaiting(threadId);
    // Whoever left until here started nothing.
    if (connection.gone) return EMPTY;
    const handle = this.runner.start({
      agent,
      input,
      threadId,
      segment,
      user: principal,
      organizationId: principal.organizationId,
      ipAddress: entry.ipAddress,
      state: entry.input.state,
      instructions: entry.input.context,
    });
    // In the same turn: the client may leave while the run is being stored.
    void this.disconnects.watch({ runId: handle.runId, connection, owned: true, started: handle.started });
    const { firstSeq } = await handle.started;
    entry.announce(handle.runId);
    const from = firstSeq - 1;
    return this.streams.open({ run: handle, protocol, connection, from, after: from, until: 'segment' });
  }

  /** Whoever stops an answer and says something else at once need not wait for the stopped run to be over: we do. */
  private async settled(threadId: string): Promise<void> {
    const busy = await underWay(this.reader, threadId);
    if (busy === undefined) return;
    const here = this.table.get(busy.id);
    if (here === undefined) await this.remoteLeave.settled(busy);
    else if (here.cancellation.signal.aborted) await here.outcome.catch(() => undefined);
  }

  /** A new message takes the place of what waits. A request that says nothing new does not mean to deny it: a page that was reloaded sends such. */
  private async refuseWhileWaiting(threadId: string): Promise<void> {
    const { items } = await this.reader.runs({ threadId, status: 'suspended', limit: 1 });
    if (items.length > 0)
      throw new RunConflictError('This thread waits for what was asked: answer that, or send a new message.');
  }

  private async permittedAgent({ agent: named, access, principal, input }: RunEntry): Promise<string> {
    const agent = named ?? this.agents.default();
    const missing = (): ProblemError => (named === undefined ? noDefault() : notFound('agent'));
    if (agent === undefined || this.agents.get(agent) === undefined) throw missing();
    const { id: principalId, organizationId } = principal;
    const resource = {
      agent,
      threadId: input.threadId,
      principalId,
      ...(organizationId === undefined ? {} : { organizationId }),
    };
    if (!(await access.allows(principal, 'run.start', resource))) throw missing();
    return agent;
  }
}

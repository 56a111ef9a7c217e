import { Injectable } from '@nestjs/common';
import type { Page } from '../../contracts/page.js';
import {
  RunReader,
  type ApprovalQuery,
  type Owner,
  type RunQuery,
  type StoredFrames,
  type StoredSegment,
} from '../../contracts/ports/run.reader.js';
import type { StoredApproval } from '../../contracts/ports/stored.approval.js';
import type { StoredDeferral } from '../../contracts/ports/stored.deferral.js';
import type { StoredRun } from '../../contracts/ports/stored.run.js';
import type { StoredStep } from '../../contracts/ports/stored.step.js';
import type { RunFrame } from '../../contracts/run.events.js';
import type { ThreadMessage } from '../../contracts/thread.message.js';
import { visibleText } from '../../values/visible-text.js';
import { MOST_BYTES } from '../event.reads.js';
import { ownerKey } from '../owner.key.js';
import { deferralsOf } from './memory.deferrals.js';
import { matches, pageOfAll } from './memory.page.js';
import { copied, MemoryState, segmentKey } from './memory.state.js';
import { storedApproval, storedRun } from './memory.views.js';

/** Reads of the working state in this process. */
@Injectable()
export class MemoryRunReader extends RunReader {
  constructor(private readonly state: MemoryState) {
    super();
  }

  override run(id: string): Promise<StoredRun | undefined> {
    return this.state.transaction(() => {
      const run = this.state.runs.get(id);
      return run === undefined ? undefined : storedRun(run);
    });
  }

  override runs(query: RunQuery): Promise<Page<StoredRun>> {
    return this.state.transaction(() => {
      const key = query.owner === undefined ? undefined : ownerKey(query.owner);
      const { threadId, status, agent, organizationId } = query;
      const matching = [...this.state.runs.values()]
        .filter((run) => key === undefined || run.ownerKey === key)
        .filter((run) => matches(run, { status }) && matches(run.made, { threadId, agent, organizationId }))
        .map((run) => ({ id: run.made.id, run }));
      const { items, nextCursor } = pageOfAll(matching, query);
      return { items: items.map(({ run }) => storedRun(run)), nextCursor };
    });
  }

  override threadOwner(threadId: string): Promise<Owner | undefined> {
    return this.state.transaction(() => copied(this.state.threads.get(visibleText(threadId))?.owner));
  }

  override messages(threadId: string): Promise<readonly ThreadMessage[]> {
    return this.state.transaction(() =>
      copied(this.state.threads.get(visibleText(threadId))?.messages.map(({ message }) => message) ?? []),
    );
  }

  override lastStep(runId: string): Promise<StoredStep | undefined> {
    return this.state.transaction(() => copied(this.state.steps.get(runId)?.at(-1)));
  }

  override frames(runId: string, after: number, limit: number): Promise<StoredFrames> {
    return this.state.transaction(() => {
      const all = this.state.frames.get(runId) ?? [];
      const first = all.findIndex(({ seq }) => seq > after);
      const frames = first < 0 ? [] : oneRead(all, first, limit);
      return { frames: copied(frames), more: first >= 0 && frames.at(-1) !== all.at(-1) };
    });
  }

  override segment(owner: Owner, segment: string): Promise<StoredSegment | undefined> {
    return this.state.transaction(() => {
      const named = this.state.segments.get(segmentKey(ownerKey(owner), visibleText(segment)));
      if (named === undefined) return undefined;
      const later = [...this.state.segments.values()]
        .filter(({ runId, firstSeq }) => runId === named.runId && firstSeq > named.firstSeq)
        .map(({ firstSeq }) => firstSeq);
      return { ...copied(named), ...(later.length > 0 ? { nextSeq: Math.min(...later) } : {}) };
    });
  }

  override approval(id: string): Promise<StoredApproval | undefined> {
    return this.state.transaction(() => {
      const approval = this.state.approvals.get(id);
      return approval === undefined ? undefined : storedApproval(approval);
    });
  }

  override deferrals(runId: string): Promise<readonly StoredDeferral[]> {
    return this.state.transaction(() => deferralsOf(this.state, runId));
  }

  override approvals(query: ApprovalQuery): Promise<Page<StoredApproval>> {
    return this.state.transaction(() => {
      const { limit: _limit, cursor: _cursor, ...filters } = query;
      const matching = [...this.state.approvals.values()].map(storedApproval).filter((one) => matches(one, filters));
      return pageOfAll(matching, query);
    });
  }
}

function oneRead(all: readonly RunFrame[], first: number, limit: number): readonly RunFrame[] {
  let bytes = 0;
  let end = first;
  for (; end < all.length && end - first < limit && bytes < MOST_BYTES; end += 1)
    bytes += Buffer.byteLength(JSON.stringify(all[end]?.event));
  return all.slice(first, end);
}

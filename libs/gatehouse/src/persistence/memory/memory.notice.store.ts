import { Injectable } from '@nestjs/common';
import { Clock } from '../../contracts/clock.js';
import type { ApprovalEvent } from '../../contracts/approval.event.js';
import { NoticeStore, type DueNotice } from '../../contracts/ports/notice.store.js';
import { MemoryState } from './memory.state.js';

interface MemoryNotice {
  attempts: number;
  nextAt: number;
  settled: boolean;
}

/** Notices in this process; gone with it. */
@Injectable()
export class MemoryNoticeStore extends NoticeStore {
  private readonly since = new Map<string, number>();
  private readonly notices = new Map<string, MemoryNotice>();

  constructor(
    private readonly state: MemoryState,
    private readonly clock: Clock,
  ) {
    super();
  }

  override register(notifiers: readonly string[]): Promise<void> {
    return this.state.transaction(() => {
      for (const name of notifiers) if (!this.since.has(name)) this.since.set(name, this.now());
    });
  }

  override take(notifiers: readonly string[], limit: number, holdMs: number): Promise<readonly DueNotice[]> {
    return this.state.transaction(() => {
      const due = notifiers
        .flatMap((notifier) => this.eventsFor(notifier).map((event) => ({ notifier, event })))
        .filter((one) => this.isDue(this.noticeOf(one)))
        .slice(0, limit);
      return due.map((one) => {
        const notice = this.noticeOf(one);
        notice.attempts += 1;
        notice.nextAt = this.now() + holdMs;
        return { ...one, attempts: notice.attempts };
      });
    });
  }

  override delivered(notice: DueNotice): Promise<void> {
    return this.state.transaction(() => void (this.noticeOf(notice).settled = true));
  }

  override failed(notice: DueNotice, _error: string, retryInMs: number | undefined): Promise<void> {
    return this.state.transaction(() => {
      const kept = this.noticeOf(notice);
      if (retryInMs === undefined) kept.settled = true;
      else kept.nextAt = this.now() + retryInMs;
    });
  }

  private eventsFor(notifier: string): ApprovalEvent[] {
    const since = this.since.get(notifier) ?? Number.POSITIVE_INFINITY;
    return [...this.state.approvals.values()]
      .flatMap(({ history }) => history)
      .filter(({ kind, at }) => (kind === 'requested' || kind === 'decided') && at.getTime() >= since);
  }

  private noticeOf({ notifier, event }: Pick<DueNotice, 'notifier' | 'event'>): MemoryNotice {
    const key = `${event.id} ${notifier}`;
    const notice = this.notices.get(key) ?? { attempts: 0, nextAt: 0, settled: false };
    this.notices.set(key, notice);
    return notice;
  }

  private isDue({ settled, nextAt }: MemoryNotice): boolean {
    return !settled && nextAt <= this.now();
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { ApprovalListener, ApprovalNotice } from '../../contracts/approval.listener.js';
import { NoticeStore, type DueNotice } from '../../contracts/ports/notice.store.js';
import { RunReader } from '../../contracts/ports/run.reader.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { describeError } from '../../values/error-text.js';
import { within } from '../../values/within.js';
import { viewApproval } from '../approval.view.js';
import { retryDelay } from './retry.delay.js';

const AT_ONCE = 20;
// Longer than a notifier may take: what is being delivered is not delivered by another replica too.
const PATIENCE = 30_000;
const HOLD = 60_000;
const LONGEST_PAUSE = 1_000;

/** Tells notifiers, from what is stored. Any replica may; what one of them has taken, the others leave to it. Nothing of it reaches a run. */
@Injectable()
export class NoticeDelivery implements BeforeApplicationShutdown {
  private readonly logger = new Logger('gatehouse.approvals');
  private notifiers: ReadonlyMap<string, ApprovalListener> = new Map();
  private timer: NodeJS.Timeout | undefined;
  private round: Promise<void> = Promise.resolve();
  private closed = false;

  constructor(
    private readonly store: NoticeStore,
    private readonly reader: RunReader,
    private readonly options: ResolvedOptions,
  ) {}

  /** Begins to tell these, by name. */
  async start(notifiers: ReadonlyMap<string, ApprovalListener>): Promise<void> {
    if (notifiers.size === 0) return;
    this.notifiers = notifiers;
    await this.store.register([...notifiers.keys()]);
    this.next();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.closed = true;
    clearTimeout(this.timer);
    await this.round;
  }

  private next(): void {
    if (this.closed) return;
    this.timer = setTimeout(
      () => {
        this.round = this.tell().finally(() => this.next());
      },
      Math.min(this.options.runs.lease / 4, LONGEST_PAUSE),
    );
    this.timer.unref();
  }

  /** One round. Never throws. */
  private async tell(): Promise<void> {
    try {
      for (let more = true; more && !this.closed;) {
        const due = await this.store.take([...this.notifiers.keys()], AT_ONCE, HOLD);
        await Promise.all(due.map((notice) => this.deliver(notice)));
        more = due.length === AT_ONCE;
      }
    } catch (error) {
      this.logger.warn(`Notifiers could not be told, and are told later: ${describeError(error)}`);
    }
  }

  private async deliver(due: DueNotice): Promise<void> {
    try {
      await within(this.hand(due), PATIENCE, () => new Error(`no answer within ${PATIENCE} ms`));
    } catch (error) {
      return this.failed(due, describeError(error));
    }
    await this.store.delivered(due);
  }

  private async hand({ notifier: name, event }: DueNotice): Promise<void> {
    const notifier = this.notifiers.get(name);
    const stored = await this.reader.approval(event.approvalId);
    if (notifier === undefined || stored === undefined) return;
    const of = { id: event.id, at: event.at, approval: viewApproval(stored) };
    const notice: ApprovalNotice = Object.freeze(
      event.kind === 'requested' ? { ...of, kind: 'approval.requested' } : { ...of, kind: 'approval.decided' },
    );
    if (event.kind === 'requested') await notifier.approvalRequested?.(notice);
    else await notifier.approvalDecided?.(notice);
  }

  private async failed(due: DueNotice, why: string): Promise<void> {
    const retryIn = retryDelay(due.attempts);
    const about = `${due.notifier} was not told that approval ${due.event.approvalId} was ${due.event.kind}: ${why}.`;
    if (retryIn === undefined) this.logger.error(`${about} It was tried ${due.attempts} times, and is given up.`);
    else this.logger.warn(`${about} It is told again in ${retryIn} ms.`);
    await this.store.failed(due, why, retryIn);
  }
}

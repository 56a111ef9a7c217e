import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovalRequest } from 'nest-gatehouse';
import type { DecisionPlan, PlannedAnswer } from './decision.plan.js';
import { ANN, BOB } from './people.js';
import { PATIENCE, type Answer, type ServerPair } from './server.pair.js';

export const AMOUNT = 10;
const AGAIN = 120;
const UNKNOWN = '0190a000-0000-7000-8000-000000000000';
const ENDED = ['completed', 'raised', 'failed', 'aborted', 'cancelled', 'interrupted'];

/** What was answered to one planned answer. */
export interface Posted {
  readonly approvalId: string;
  readonly answer: PlannedAnswer;
  readonly status: number;
  readonly body: string;
}

/** One call of a run that waits for a person, from its start to what people say to it. */
export class CountedCall {
  readonly posted: Posted[] = [];

  constructor(
    private readonly pair: ServerPair,
    private readonly first: number,
    private readonly plan: DecisionPlan,
  ) {}

  /** Starts runs, with the numbers it is given, until one asks; then everything planned is posted at once, and again while nothing of it counts. */
  async play(number: () => number, asked: () => void): Promise<void> {
    for (;;) {
      const n = number();
      const started = this.start(n);
      if (!this.plan.early) await started;
      const approval = await this.approvalOf(n);
      if (approval !== undefined) {
        asked();
        await this.decide(approval);
      }
      await started;
      if (approval !== undefined) return;
    }
  }

  private start(n: number): Promise<Answer> {
    return this.pair.ask(this.first, ANN, 'POST', 'runs', {
      threadId: `count-${n}`,
      runId: `start-${n}`,
      messages: [{ id: `say-${n}`, role: 'user', content: `${n} ${AMOUNT}` }],
      tools: [],
      context: [],
    });
  }

  /** Nothing where the run was lost before it asked. */
  private async approvalOf(n: number): Promise<ApprovalRequest | undefined> {
    for (;;) {
      const [approval] = await this.items<ApprovalRequest>(BOB, `approvals?threadId=count-${n}`);
      if (approval !== undefined) return approval;
      const [run] = await this.items<{ status: string }>(ANN, `runs?threadId=count-${n}`);
      if (run !== undefined && ENDED.includes(run.status)) return undefined;
      await pause(25);
    }
  }

  private async items<T>(by: typeof BOB, path: string): Promise<readonly T[]> {
    const { status, body } = await this.pair.ask(this.first + 1, by, 'GET', path);
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${body}`);
    return (JSON.parse(body) as { items: T[] }).items;
  }

  private async decide(approval: ApprovalRequest): Promise<void> {
    await this.post(approval, this.plan.answers, 0);
    const honest = this.plan.answers.filter(({ kind }) => kind === 'honest');
    // An interrupt is not answered while its run is under way; whoever means it asks again.
    for (let again = 1; honest.length > 0 && (await this.waits(approval)); again += 1) {
      if (again > AGAIN) return;
      await pause(250);
      await this.post(approval, honest, again);
    }
  }

  private async waits({ id }: ApprovalRequest): Promise<boolean> {
    const { body } = await this.pair.ask(this.first, BOB, 'GET', `approvals/${id}`);
    return (JSON.parse(body) as ApprovalRequest).status === 'pending';
  }

  private async post(approval: ApprovalRequest, answers: readonly PlannedAnswer[], round: number): Promise<void> {
    await Promise.all(
      answers.map(async (answer, at) => {
        const sent =
          answer.interrupt === true ? this.resume(approval, answer, `${round}-${at}`) : this.say(approval, answer);
        const { status, body } = await sent;
        this.posted.push({ approvalId: approval.id, answer, status, body });
      }),
    );
  }

  private say(approval: ApprovalRequest, answer: PlannedAnswer): Promise<Answer> {
    const id = answer.kind === 'unknown id' ? UNKNOWN : approval.id;
    return this.pair.ask(answer.server, answer.by, 'POST', `approvals/${id}/decision`, bodyOf(approval, answer));
  }

  /** A lost connection says nothing of the answer, and its segment is spent: the next attempt takes another. */
  private async resume({ id, threadId }: ApprovalRequest, answer: PlannedAnswer, name: string): Promise<Answer> {
    const until = Date.now() + PATIENCE;
    for (let attempt = 0; ; attempt += 1) {
      const body = {
        threadId,
        runId: `resume-${id}-${name}-${attempt}`,
        messages: [],
        resume: [{ interruptId: id, status: 'resolved', payload: { approved: answer.approved } }],
      };
      const answered = await this.pair.once(answer.server + attempt, answer.by, 'POST', 'runs', body);
      if (answered !== undefined) return answered;
      if (Date.now() > until) throw new Error(`Neither server took the answer to interrupt ${id} in time.`);
      await pause(100);
    }
  }
}

function bodyOf({ argumentsDigest, args }: ApprovalRequest, answer: PlannedAnswer): object {
  const { kind, approved, raise } = answer;
  const { n, amount } = args as { n: number; amount: number };
  if (kind === 'no answer') return { approved: 'yes', argumentsDigest };
  if (kind === 'wrong digest') return { approved, argumentsDigest: 'f'.repeat(64) };
  if (kind === 'forged field') return { approved, argumentsDigest, editedArgs: { n: n + 1, amount } };
  return { approved, argumentsDigest, ...(raise === undefined ? {} : { editedArgs: { n, amount: amount + raise } }) };
}

import { Injectable } from '@nestjs/common';
import {
  Agent,
  Clock,
  Decide,
  DestructiveTool,
  Hook,
  Listener,
  Tool,
  type HookDecision,
  type OperationFinished,
  type OperationListener,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
  type ToolHook,
} from 'nest-gatehouse';

import { HandClock } from '../conformance/support/hand.clock.js';
import { inside } from '../conformance/support/inside.js';
import { ANN, boot, type GovernedApp } from '../support/governed/governed.app.js';

const LEASE = 60_000;

@Injectable()
class Safe {
  opened = 0;

  @DestructiveTool({ description: 'Opens the safe', parameters: { type: 'object', additionalProperties: false } })
  open(): string {
    this.opened += 1;
    return 'open';
  }
}

/** Comes back only once it is let. */
@Injectable()
class Slow {
  started: () => void = () => undefined;
  readonly starting = new Promise<void>((resolve) => (this.started = resolve));
  release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  @Tool({ description: 'Counts', parameters: { type: 'object', additionalProperties: false } })
  async count(): Promise<string> {
    this.started();
    await this.released;
    return 'counted';
  }
}

@Agent({ name: 'counter' })
class Counter implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const [result] = await run.callBatch([{ toolName: 'count', args: {} }]);
    return { value: result?.content };
  }
}

/** Everything that listeners were told, run by run. */
@Listener()
class Told implements OperationListener {
  readonly facts: string[] = [];

  operationFinished({ request, status }: OperationFinished): void {
    this.facts.push(`${request.toolName} ${status}`);
  }
}

@Agent({ name: 'opener' })
class Opener implements RunExecutor {
  async execute(run: RunContext): Promise<RunCandidate> {
    const [result] = run.resumed ?? (await run.callBatch([{ toolName: 'open', args: {} }]));
    return { value: result?.content };
  }
}

/** The process stands still for longer than its lease, as often as it is told. */
@Hook()
class Stall implements ToolHook {
  times = 0;

  constructor(private readonly clock: Clock) {}

  beforeTool(): HookDecision {
    if (this.times > 0 && this.clock instanceof HandClock) this.clock.advance(LEASE + 1);
    this.times -= 1;
    return Decide.continue();
  }
}

let app: GovernedApp;
let clock: HandClock;
beforeEach(async () => {
  clock = new HandClock();
  const time = { provide: Clock, useValue: clock };
  app = await boot({
    providers: [Safe, Opener, Slow, Counter, Told, Stall, time],
    options: { runs: { lease: LEASE, grace: 50 } },
  });
});
afterEach(() => app.close());

const sweep = () => inside<{ sweep(): Promise<void> }>(app.module, 'RunSweeper').sweep();
const start = async () => {
  const { runId, outcome } = app.runner.start({ agent: 'opener', input: 'go', user: ANN });
  const { status } = await outcome;
  const [approval] = (await app.approvals.list({ runId })).items;
  return { runId, status, decision: { approvalId: approval?.id ?? '', approved: true } };
};

it('an approved call whose process stood still before it was started is not withdrawn: it runs once, later', async () => {
  const { runId, decision } = await start();
  app.module.get(Stall).times = 1;
  const { outcome } = app.runner.resume({ runId, user: ANN, decisions: [decision] });
  expect(await outcome).toMatchObject({ status: 'interrupted', error: { name: 'LeaseLostError' } });
  expect(await app.approvals.get(decision.approvalId)).toMatchObject({ status: 'approved' });
  expect(app.module.get(Safe).opened).toBe(0);
  await sweep();
  while ((await app.trail.terminals({ runId })).items.length === 0) await new Promise(setImmediate);
  expect((await app.trail.terminals({ runId })).items).toMatchObject([{ status: 'completed' }]);
  expect(await app.statuses(runId)).toEqual(['open completed']);
  expect(app.module.get(Safe).opened).toBe(1);
});

describe('a call under way while its process stands still', () => {
  /** How its run ended, once the call came back after that. */
  const stalled = async (meanwhile: () => Promise<void>) => {
    const { runId, outcome } = app.runner.start({ agent: 'counter', input: 'go', user: ANN });
    const slow = app.module.get(Slow);
    await slow.starting;
    clock.advance(LEASE + 1);
    await meanwhile();
    slow.release();
    await outcome;
    return app.statuses(runId);
  };

  it('is told by whoever took the run over, and by nobody else', async () => {
    expect(await stalled(sweep)).toEqual(['count interrupted']);
    expect(app.module.get(Told).facts).toEqual(['count interrupted']);
  });

  it('is told late, once, where nobody did', async () => {
    expect(await stalled(async () => undefined)).toEqual(['count completed']);
    expect(app.module.get(Told).facts).toEqual(['count completed']);
  });
});

it('a resumption that is cancelled before its first word leaves a record of the call that waited', async () => {
  const { runId, decision } = await start();
  const { outcome } = app.runner.resume({ runId, user: ANN, decisions: [decision], signal: AbortSignal.abort() });
  expect((await outcome).status).toBe('cancelled');
  expect(await app.statuses(runId)).toEqual(['open skipped']);
  expect(await app.approvals.get(decision.approvalId)).toMatchObject({ status: 'cancelled' });
});

import type { NewApproval, StoredApproval } from '../contracts/ports/stored.approval.js';
import type { NewRun } from '../contracts/ports/stored.run.js';
import type { ToolCallResult } from '../contracts/operation.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { Operation } from '../operations/operation.js';
import type { LineagePoint } from '../operations/lineage.js';
import type { RunEnd } from '../operations/passage.js';
import type { ResponseOutcome } from '../operations/response.pipeline.js';
import type { RunRoles } from '../operations/roles/run.roles.js';
import { SharedLimits } from '../operations/shared.limits.js';
import { RunLedger } from '../operations/run.ledger.js';
import type { ApprovalGateway, RunScope } from '../operations/run.scope.js';
import type { LiveRun } from './live.run.js';
import { LiveStep } from './live.step.js';
import { RunCancellation } from './run.cancellation.js';
import type { Waits } from './waits.js';

/** What an implicit run asks for once one of its calls must wait. */
export interface ImplicitStore {
  /** Stores the run and its one response, and makes it live. */
  open(run: NewRun, step: LiveStep, cancellation: RunCancellation): Promise<LiveRun>;
  gateway(live: LiveRun): ApprovalGateway;
  suspend(live: LiveRun, step: LiveStep, waiting: Waits): Promise<readonly ToolCallResult[]>;
  /** Its one terminal record; nobody is asked any more. */
  end(live: LiveRun, ends: RunEnd): Promise<unknown>;
  close(live: LiveRun): void;
}

/** The run around a direct call: one response, nowhere stored unless a person is needed. */
export class ImplicitRun {
  readonly scope: RunScope;
  private readonly step: LiveStep;
  private opening: Promise<LiveRun> | undefined;
  private live: LiveRun | undefined;
  private unfollow: (() => void) | undefined;

  constructor(
    private readonly run: NewRun,
    private readonly store: ImplicitStore,
    operations: readonly Operation[],
    around: {
      readonly roles: RunRoles;
      readonly limits: ResolvedOptions['limits'];
      readonly signal: AbortSignal;
      readonly direct: boolean;
      readonly heard: boolean;
      /** The operation inside which the call is made. */
      readonly above?: LineagePoint;
    },
  ) {
    this.step = new LiveStep(run.id, 1, '', run.id, operations);
    const check = () => (this.live === undefined ? around.signal.throwIfAborted() : this.live.check());
    this.scope = {
      roles: around.roles,
      limits: around.limits,
      signal: around.signal,
      direct: around.direct,
      heard: around.heard,
      runId: run.id,
      threadId: run.threadId,
      user: run.user,
      organizationId: run.organizationId,
      ipAddress: run.ipAddress,
      parentOperationId: run.parentOperationId,
      digestKey: run.digestKey,
      state: { ...run.state },
      fence: { runId: run.id, epoch: 0, check },
      ledger: new RunLedger(),
      shared: new SharedLimits(around.limits, around.above?.scope.shared),
      nobodyToAsk: around.above !== undefined,
      depth: around.above && (around.above.scope.depth ?? 0) + 1,
      waiting: new Set(),
      approvals: { request: (draft) => this.request(draft), claim: never, settle: never },
    };
  }

  /** Suspends what waits. Throws `RunSuspended`, unless everybody has answered meanwhile. */
  async park({ operations, waiting }: ResponseOutcome): Promise<readonly ToolCallResult[]> {
    const live = this.handedOver(await this.stored(), operations);
    return this.store.suspend(live, this.step, { approvals: waiting, deferrals: [] });
  }

  /** Ends what is stored of it: a sibling that waits for a person would otherwise wait for a run that is over. */
  async end({ operations }: ResponseOutcome, ends: RunEnd): Promise<void> {
    if (this.live !== undefined) await this.store.end(this.handedOver(this.live, operations), ends);
  }

  /** One for every call, in emission order: a redirected call is answered by what took its place. */
  results({ operations }: ResponseOutcome): readonly ToolCallResult[] {
    const last = operations.filter(({ position }, at) => operations[at + 1]?.position !== position);
    return last.flatMap(({ result }) => result ?? []);
  }

  close(): void {
    this.unfollow?.();
    if (this.live !== undefined) this.store.close(this.live);
  }

  private async request(draft: NewApproval): Promise<StoredApproval> {
    return this.store.gateway(await this.stored()).request(draft);
  }

  private handedOver(live: LiveRun, operations: readonly Operation[]): LiveRun {
    this.step.operations = operations;
    live.ledger.returnRecords(this.scope.ledger.takeRecords());
    return live;
  }

  private stored(): Promise<LiveRun> {
    this.opening ??= this.open();
    return this.opening;
  }

  private async open(): Promise<LiveRun> {
    const cancellation = new RunCancellation();
    this.unfollow = cancellation.follow(this.scope.signal, 'signal');
    this.live = await this.store.open(this.run, this.step, cancellation);
    return this.live;
  }
}

/** Only a resumed operation is claimed, and by then its run is an ordinary one. */
const never = (): Promise<never> => Promise.reject(new Error('A direct call was claimed before it was stored.'));

import type { NewApproval, StoredApproval } from '../contracts/ports/stored.approval.js';
import type { NewRun } from '../contracts/ports/stored.run.js';
import type { ToolCallResult } from '../contracts/operation.js';
import type { ResolvedOptions } from '../contracts/resolved.options.js';
import type { Operation } from '../operations/operation.js';
import type { ResponseOutcome } from '../operations/response.pipeline.js';
import type { RunRoles } from '../operations/roles/run.roles.js';
import { RunLedger } from '../operations/run.ledger.js';
import type { ApprovalGateway, RunScope } from '../operations/run.scope.js';
import type { LiveRun } from './live.run.js';
import { LiveStep } from './live.step.js';

/** What an implicit run asks for once one of its calls must wait. */
export interface ImplicitStore {
  /** Stores the run and its one response, and makes it live. */
  open(run: NewRun, step: LiveStep): Promise<LiveRun>;
  gateway(live: LiveRun): ApprovalGateway;
  suspend(live: LiveRun, step: LiveStep, waiting: readonly StoredApproval[]): Promise<readonly ToolCallResult[]>;
  close(live: LiveRun): void;
}

/** The run around a direct call: one response, nowhere stored unless a person is needed. */
export class ImplicitRun {
  readonly scope: RunScope;
  private readonly step: LiveStep;
  private opening: Promise<LiveRun> | undefined;
  private live: LiveRun | undefined;

  constructor(
    private readonly run: NewRun,
    private readonly store: ImplicitStore,
    operations: readonly Operation[],
    around: {
      readonly roles: RunRoles;
      readonly limits: ResolvedOptions['limits'];
      readonly signal: AbortSignal;
      readonly direct: boolean;
    },
  ) {
    this.step = new LiveStep(run.id, 1, '', run.id, operations);
    const check = () => (this.live === undefined ? around.signal.throwIfAborted() : this.live.check());
    this.scope = {
      ...around,
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
      waiting: new Set(),
      approvals: { request: (draft) => this.request(draft), claim: never, settle: never },
    };
  }

  /** Suspends what waits. Throws `RunSuspended`, unless everybody has answered meanwhile. */
  async park({ operations, waiting }: ResponseOutcome): Promise<readonly ToolCallResult[]> {
    const live = await this.stored();
    this.step.operations = operations;
    live.ledger.returnRecords(this.scope.ledger.takeRecords());
    return this.store.suspend(live, this.step, waiting);
  }

  results({ operations }: ResponseOutcome): readonly ToolCallResult[] {
    this.step.operations = operations;
    return this.step.results();
  }

  close(): void {
    if (this.live !== undefined) this.store.close(this.live);
  }

  private async request(draft: NewApproval): Promise<StoredApproval> {
    return this.store.gateway(await this.stored()).request(draft);
  }

  private stored(): Promise<LiveRun> {
    this.opening ??= this.store.open(this.run, this.step).then((live) => (this.live = live));
    return this.opening;
  }
}

/** Only a resumed operation is claimed, and by then its run is an ordinary one. */
const never = (): Promise<never> => Promise.reject(new Error('A direct call was claimed before it was stored.'));

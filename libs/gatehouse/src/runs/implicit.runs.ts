import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { RunConflictError } from '../contracts/errors/run-conflict.error.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { NewRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { Lineage } from '../operations/lineage.js';
import type { Operation } from '../operations/operation.js';
import { RoleCatalog } from '../operations/roles/role.catalog.js';
import type { RunRoles } from '../operations/roles/run.roles.js';
import { newDigestKey } from '../values/digest.js';
import { newId } from '../values/ids.js';
import { DIRECT_AGENT } from './direct.agent.js';
import { ImplicitRun, type ImplicitStore } from './implicit.run.js';
import type { LiveStep } from './live.step.js';
import { PersistencePatience } from './persistence.patience.js';
import { RunCancellation } from './run.cancellation.js';
import { RunLease } from './run.lease.js';
import { RunOpener } from './run.opener.js';
import { ScopeFactory } from './scope.factory.js';
import { StepRunner } from './step.runner.js';

/** Who makes a direct call. */
export type Caller = Pick<NewRun, 'user' | 'organizationId' | 'ipAddress'> & {
  readonly state?: NewRun['state'];
  readonly signal?: AbortSignal;
};

/** Opens the implicit run around each direct call. */
@Injectable()
export class ImplicitRuns implements OnApplicationBootstrap {
  private readonly neverAborted = new AbortController().signal;
  private roles: RunRoles | undefined;
  private readonly storing: ImplicitStore = {
    open: (run, step) => this.open(run, step),
    gateway: (live) => this.scopes.gateway(live),
    suspend: (live, step, waiting) => this.steps.suspend(live, step, waiting),
    close: (live) => this.opener.close(live),
  };

  constructor(
    private readonly store: RunStore,
    private readonly catalog: RoleCatalog,
    private readonly options: ResolvedOptions,
    private readonly lineage: Lineage,
    private readonly opener: RunOpener,
    private readonly scopes: ScopeFactory,
    private readonly steps: StepRunner,
    private readonly lease: RunLease,
    private readonly patience: PersistencePatience,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.roles = await this.appRoles();
  }

  async begin(operations: readonly Operation[], caller: Caller, direct: boolean): Promise<ImplicitRun> {
    const { limits } = this.options;
    const roles = this.roles ?? (await this.appRoles());
    const signal = caller.signal ?? this.neverAborted;
    return new ImplicitRun(this.run(caller), this.storing, operations, { roles, limits, signal, direct });
  }

  private appRoles(): Promise<RunRoles> {
    return this.catalog.withRun({}, () => Promise.reject(new Error('A direct call has no roles of its own.')));
  }

  private run({ user, organizationId = user?.organizationId, ipAddress, state = {} }: Caller): NewRun {
    const id = newId();
    const point = this.lineage.current();
    return {
      id,
      threadId: id,
      segment: id,
      agent: DIRECT_AGENT,
      local: false,
      user,
      organizationId,
      ipAddress,
      limits: this.options.limits,
      digestKey: newDigestKey(),
      state,
      parentRunId: point?.runId,
      parentOperationId: point?.operationId,
    };
  }

  private async open(run: NewRun, step: LiveStep) {
    const since = this.opener.now();
    const { id: runId, threadId, segment } = run;
    const frames = [{ seq: 1, event: { type: 'run.started' as const, runId, threadId, segment } }];
    const result = await this.patience.outlast(() => this.store.startRun(run, [], frames, this.lease.ownership));
    if ('refused' in result) throw new RunConflictError('The implicit run of a direct call could not be stored.');
    const parts = {
      segment,
      roles: this.roles ?? (await this.appRoles()),
      limits: this.options.limits,
      cancellation: new RunCancellation(),
    };
    const live = await this.opener.open(result.started, parts, since);
    await this.steps.begin(live, step);
    return live;
  }
}

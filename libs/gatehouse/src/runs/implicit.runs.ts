import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Awaitable } from '../contracts/awaitable.js';
import { RunConflictError } from '../contracts/errors/run-conflict.error.js';
import { RunStore } from '../contracts/ports/run.store.js';
import type { NewRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { Lineage, type LineagePoint } from '../operations/lineage.js';
import type { Operation } from '../operations/operation.js';
import { RoleCatalog } from '../operations/roles/role.catalog.js';
import type { AddedRoles, RunRoles } from '../operations/roles/run.roles.js';
import { newDigestKey } from '../values/digest.js';
import { newId } from '../values/ids.js';
import { NEVER_ABORTED } from '../values/never.aborted.js';
import { isPending } from '../values/pending.js';
import { givenPrincipal, storableState } from './caller.facts.js';
import { DIRECT_AGENT } from './direct.agent.js';
import { ImplicitRun, type ImplicitStore } from './implicit.run.js';
import type { LiveStep } from './live.step.js';
import { PersistencePatience } from './persistence.patience.js';
import type { RunCancellation } from './run.cancellation.js';
import { RunDriver } from './run.driver.js';
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
  private roles: RunRoles | undefined;
  private readonly storing: ImplicitStore = {
    open: (run, step, cancellation) => this.open(run, step, cancellation),
    gateway: (live) => this.scopes.gateway(live),
    suspend: (live, step, waiting) => this.steps.suspend(live, step, waiting),
    end: (live, ends) => this.driver.fail(live, ends),
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
    private readonly driver: RunDriver,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.roles = await this.appRoles();
  }

  begin(operations: readonly Operation[], caller: Caller, direct: boolean): Awaitable<ImplicitRun> {
    const { limits } = this.options;
    const above = this.lineage.current();
    const signal = eitherOf(caller.signal, above?.signal);
    const around = { limits, signal, direct, heard: !direct, above };
    const begun = (roles: RunRoles) =>
      new ImplicitRun(this.run(caller, above), this.storing, operations, { ...around, roles });
    const roles = this.rolesBelow(above);
    return isPending(roles) ? roles.then(begun) : begun(roles);
  }

  /** Inside a tool, what was added to the application's roles for the run above decides here too. */
  private rolesBelow(above: LineagePoint | undefined): Awaitable<RunRoles> {
    const { inspectors = [], hooks = [] } = above?.scope.roles.added ?? {};
    if (inspectors.length + hooks.length > 0) return this.appRoles(above?.scope.roles.added);
    return this.roles ?? this.appRoles();
  }

  private appRoles(inherited?: AddedRoles): Promise<RunRoles> {
    const none = () => Promise.reject(new Error('A direct call has no roles of its own.'));
    return this.catalog.withRun({}, none, undefined, inherited);
  }

  private run(caller: Caller, above: LineagePoint | undefined): NewRun {
    const id = newId();
    const given = givenPrincipal(caller.user);
    const user = given ?? above?.scope.user;
    const organizationId = caller.organizationId ?? given?.organizationId ?? above?.scope.organizationId;
    const ipAddress = caller.ipAddress ?? above?.scope.ipAddress;
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
      state: caller.state === undefined ? {} : storableState(caller.state),
      parentRunId: above?.scope.runId,
      parentOperationId: above?.operationId,
    };
  }

  private async open(run: NewRun, step: LiveStep, cancellation: RunCancellation) {
    const since = this.opener.now();
    const { id: runId, threadId, segment } = run;
    const frames = [{ seq: 1, event: { type: 'run.started' as const, runId, threadId, segment } }];
    const result = await this.patience.outlast(() => this.store.startRun(run, [], frames, this.lease.ownership));
    if ('refused' in result) throw new RunConflictError('The implicit run of a direct call could not be stored.');
    const parts = {
      segment,
      roles: this.roles ?? (await this.appRoles()),
      limits: this.options.limits,
      cancellation,
    };
    const live = await this.opener.open(result.started, parts, since);
    await this.steps.begin(live, step);
    return live;
  }
}

/** A signal of the caller's own does not outlive the call inside which it calls. */
const eitherOf = (own: AbortSignal | undefined, above: AbortSignal | undefined): AbortSignal =>
  own === undefined || above === undefined ? (own ?? above ?? NEVER_ABORTED) : AbortSignal.any([own, above]);

import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { LimitExceededError } from '../contracts/errors/limit-exceeded.error.js';
import type { Queueing } from '../contracts/ports/run.store.js';
import type { NewRun, StoredRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { RunExecutor, RunRequest } from '../contracts/run.js';
import { Lineage, type LineagePoint } from '../operations/lineage.js';
import type { OutputContract } from '../operations/output/output.contract.js';
import { OutputContracts } from '../operations/output/output.contracts.js';
import { RoleCatalog } from '../operations/roles/role.catalog.js';
import { newDigestKey } from '../values/digest.js';
import type { AgentOptions } from './agent.decorator.js';
import { AgentRegistry } from './agent.registry.js';
import { givenPrincipal, storableState } from './caller.facts.js';
import { DIRECT_AGENT, directExecutor } from './direct.agent.js';
import type { RunCancellation } from './run.cancellation.js';
import { limitsOf } from './run.limits.js';
import type { OpeningParts } from './run.opener.js';

/** What of a request is not stored: needed again when the run is resumed here. */
export type LocalRequest = Pick<
  RunRequest,
  'agent' | 'output' | 'inspectors' | 'hooks' | 'middleware' | 'listeners' | 'admit' | 'limits'
>;

interface Agent {
  readonly name: string;
  readonly executor: RunExecutor;
  readonly options?: AgentOptions;
}

/** Turns requests into what is stored and what lives: agent, roles, offered tools, limits. */
@Injectable()
export class RunPlan {
  constructor(
    private readonly agents: AgentRegistry,
    private readonly catalog: RoleCatalog,
    private readonly lineage: Lineage,
    private readonly options: ResolvedOptions,
    private readonly outputs: OutputContracts,
    private readonly modules: ModuleRef,
  ) {}

  /** The operation inside which this is called: a run that starts here is its child. */
  above(): LineagePoint | undefined {
    return this.lineage.current();
  }

  /** Throws `ConfigurationError` for an agent nobody declared. */
  agent(agent: RunRequest['agent']): Agent {
    if (typeof agent !== 'string') return { name: '(inline)', executor: agent };
    if (agent === DIRECT_AGENT) return { name: agent, executor: directExecutor };
    const found = this.agents.get(agent);
    if (found === undefined)
      throw new ConfigurationError(`There is no agent '${agent.slice(0, 64)}': name one with @Agent.`);
    return { name: agent, ...found };
  }

  /** Throws what refuses a start: an agent, output, principal or state that cannot be, a child run too deep. */
  newRun(
    request: RunRequest,
    ids: { readonly runId: string; readonly threadId: string; readonly segment: string },
    above?: LineagePoint,
  ): NewRun {
    const { name, options } = this.agent(request.agent);
    const user = givenPrincipal(request.user);
    this.output(request);
    if (above !== undefined && depthBelow(above) > above.scope.limits.depth) {
      throw new LimitExceededError('depth', above.scope.limits.depth);
    }
    return Object.freeze({
      id: ids.runId,
      threadId: ids.threadId,
      segment: ids.segment,
      agent: name,
      local: isLocal(request),
      user: user ?? above?.scope.user,
      organizationId: request.organizationId ?? user?.organizationId ?? above?.scope.organizationId,
      ipAddress: request.ipAddress ?? above?.scope.ipAddress,
      instructions: request.instructions,
      tools: offeredNames(options?.tools, request.tools),
      limits: limitsOf(this.options.limits, options?.limits, request.limits),
      digestKey: newDigestKey(),
      state: storableState(request.state ?? {}),
      parentRunId: above?.scope.runId,
      parentOperationId: above?.operationId,
    });
  }

  /** Whether runs that another process can execute are left to it. */
  get dispatches(): boolean {
    return this.options.runs.execute === 'dispatched';
  }

  get queueing(): Queueing {
    return { startWithinMs: this.options.runs.startWithin };
  }

  /** Whether this run is: an inline executor, roles of its own and a parent's call keep it here. */
  isDispatched(request: RunRequest, above?: LineagePoint): boolean {
    return this.dispatches && above === undefined && !isLocal(request);
  }

  async parts(
    run: NewRun | StoredRun,
    local: LocalRequest,
    segment: string,
    cancellation: RunCancellation,
    above?: LineagePoint,
  ): Promise<OpeningParts> {
    const { options } = this.agent(local.agent);
    const limits = limitsOf(this.options.limits, run.limits);
    const own = (kind: 'inspectors' | 'hooks' | 'middleware') => [...(options?.[kind] ?? []), ...(local[kind] ?? [])];
    const perRun = {
      inspectors: own('inspectors') as LocalRequest['inspectors'],
      hooks: own('hooks') as LocalRequest['hooks'],
      middleware: own('middleware') as LocalRequest['middleware'],
      listeners: local.listeners,
    };
    return {
      segment,
      cancellation,
      limits,
      roles: await this.catalog.withRun(
        perRun,
        (type) => this.resolve(type),
        limits.decisionTimeout,
        above?.scope.roles.added,
      ),
      offered: run.tools === undefined ? undefined : new Set(run.tools),
      output: this.output(local),
      admit: local.admit,
      ...(above === undefined ? {} : { above: { shared: above.scope.shared, depth: depthBelow(above) } }),
    };
  }

  /** What a run is told and ended with that could not be prepared. */
  async bare(run: StoredRun, segment: string, cancellation: RunCancellation, failed: Error): Promise<OpeningParts> {
    const limits = limitsOf(this.options.limits, run.limits);
    const roles = await this.catalog.withRun({}, (type) => this.resolve(type), limits.decisionTimeout);
    return { segment, cancellation, limits, roles, unprepared: failed };
  }

  private output({ agent, output }: LocalRequest): OutputContract | undefined {
    const { name, options } = this.agent(agent);
    const spec = output ?? options?.output;
    return spec === undefined ? undefined : this.outputs.of(spec, `The output of a run of '${name}'`);
  }

  private async resolve<T>(type: Type<T>): Promise<T> {
    try {
      return await this.modules.get(type, { strict: false });
    } catch {
      return this.modules.create(type);
    }
  }
}

/** Whether only this process can resume it. */
const isLocal = (request: RunRequest): boolean =>
  typeof request.agent !== 'string' ||
  request.admit !== undefined ||
  request.output !== undefined ||
  [request.inspectors, request.hooks, request.middleware, request.listeners].some((roles) => (roles?.length ?? 0) > 0);

const depthBelow = ({ scope }: LineagePoint): number => (scope.depth ?? 0) + 1;

const offeredNames = (agent?: readonly string[], request?: readonly string[]): readonly string[] | undefined =>
  agent === undefined || request === undefined ? (agent ?? request) : agent.filter((name) => request.includes(name));

import { Injectable, type Type } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { NewRun, StoredRun } from '../contracts/ports/stored.run.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import type { RunExecutor, RunRequest } from '../contracts/run.js';
import type { ThreadMessage, UserMessage } from '../contracts/thread.message.js';
import { Lineage } from '../operations/lineage.js';
import { RoleCatalog } from '../operations/roles/role.catalog.js';
import { newDigestKey } from '../values/digest.js';
import { newId } from '../values/ids.js';
import { visibleText } from '../values/visible-text.js';
import type { AgentOptions } from './agent.decorator.js';
import { AgentRegistry } from './agent.registry.js';
import { DIRECT_AGENT, directExecutor } from './direct.agent.js';
import type { RunCancellation } from './run.cancellation.js';
import { limitsOf } from './run.limits.js';
import type { OpeningParts } from './run.opener.js';

/** What of a request is not stored: needed again when the run is resumed here. */
export type LocalRequest = Pick<
  RunRequest,
  'agent' | 'inspectors' | 'hooks' | 'middleware' | 'listeners' | 'admit' | 'limits'
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
    private readonly modules: ModuleRef,
  ) {}

  /** Throws `ConfigurationError` for an agent nobody declared. */
  agent(agent: RunRequest['agent']): Agent {
    if (typeof agent !== 'string') return { name: '(inline)', executor: agent };
    if (agent === DIRECT_AGENT) return { name: agent, executor: directExecutor };
    const found = this.agents.get(agent);
    if (found === undefined)
      throw new ConfigurationError(`There is no agent '${agent.slice(0, 64)}': name one with @Agent.`);
    return { name: agent, ...found };
  }

  newRun(
    request: RunRequest,
    ids: { readonly runId: string; readonly threadId: string; readonly segment: string },
  ): NewRun {
    const { name, options } = this.agent(request.agent);
    const point = this.lineage.current();
    return Object.freeze({
      id: ids.runId,
      threadId: ids.threadId,
      segment: ids.segment,
      agent: name,
      local: isLocal(request),
      user: request.user,
      organizationId: request.organizationId ?? request.user?.organizationId,
      ipAddress: request.ipAddress,
      instructions: request.instructions,
      tools: offeredNames(options?.tools, request.tools),
      limits: limitsOf(this.options.limits, options?.limits, request.limits),
      digestKey: newDigestKey(),
      state: { ...request.state },
      parentRunId: point?.runId,
      parentOperationId: point?.operationId,
    });
  }

  async parts(
    run: NewRun | StoredRun,
    local: LocalRequest,
    segment: string,
    cancellation: RunCancellation,
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
      roles: await this.catalog.withRun(perRun, (type) => this.resolve(type), limits.decisionTimeout),
      offered: run.tools === undefined ? undefined : new Set(run.tools),
      admit: local.admit,
    };
  }

  private async resolve<T>(type: Type<T>): Promise<T> {
    try {
      return await this.modules.get(type, { strict: false });
    } catch {
      return this.modules.create(type);
    }
  }
}

/** The new user messages of a request, as the thread keeps them. */
export const userMessages = (input: RunRequest['input']): readonly ThreadMessage[] => {
  const messages: readonly UserMessage[] = typeof input === 'string' ? [{ text: input }] : input;
  return messages.map(({ id, text }) => ({ id: id ?? newId(), role: 'user' as const, text: visibleText(text) }));
};

/** Whether only this process can resume it. */
const isLocal = (request: RunRequest): boolean =>
  typeof request.agent !== 'string' ||
  request.admit !== undefined ||
  [request.inspectors, request.hooks, request.middleware, request.listeners].some((roles) => (roles?.length ?? 0) > 0);

const offeredNames = (agent?: readonly string[], request?: readonly string[]): readonly string[] | undefined =>
  agent === undefined || request === undefined ? (agent ?? request) : agent.filter((name) => request.includes(name));

import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { RunExecutor } from '../contracts/run.js';
import { OutputContracts } from '../operations/output/output.contracts.js';
import { agentOptionsOf, type AgentOptions } from './agent.decorator.js';

/** One agent of the app. */
export interface RegisteredAgent {
  readonly options: AgentOptions;
  readonly executor: RunExecutor;
}

/** Every `@Agent` in the app, by name. */
@Injectable()
export class AgentRegistry implements OnModuleInit {
  private readonly agents = new Map<string, RegisteredAgent>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly outputs: OutputContracts,
  ) {}

  onModuleInit(): void {
    for (const wrapper of this.discovery.getProviders()) {
      const { metatype } = wrapper;
      if (wrapper.isAlias || typeof metatype !== 'function') continue;
      const options = agentOptionsOf(metatype as Type<unknown>);
      if (options === undefined) continue;
      if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) throw notStatic(metatype.name);
      this.add(options, wrapper.instance as RunExecutor, metatype.name);
    }
  }

  get(name: string): RegisteredAgent | undefined {
    return this.agents.get(name);
  }

  list(): readonly RegisteredAgent[] {
    return [...this.agents.values()];
  }

  /** The agent of `POST runs`: the one marked default, or the only one. */
  default(): string | undefined {
    const agents = [...this.agents.values()];
    const marked = agents.find((agent) => agent.options.default === true);
    return (marked ?? (agents.length === 1 ? agents[0] : undefined))?.options.name;
  }

  private add(options: AgentOptions, executor: RunExecutor, className: string): void {
    if (typeof executor?.execute !== 'function') {
      throw new ConfigurationError(
        `@Agent '${options.name}' (${className}) has no execute(run): extend ModelAgent or implement RunExecutor.`,
      );
    }
    const other = this.agents.get(options.name);
    if (other?.executor === executor) return;
    if (other !== undefined) {
      throw new ConfigurationError(
        `Two agents are named '${options.name}' (one is ${className}): give one of them another name.`,
      );
    }
    if (options.default === true && [...this.agents.values()].some((agent) => agent.options.default === true)) {
      throw new ConfigurationError(`'${options.name}' is a second default agent: only one may say default: true.`);
    }
    if (options.output !== undefined) this.outputs.prepare(options.output, `The output of @Agent '${options.name}'`);
    this.agents.set(options.name, { options, executor });
  }
}

const notStatic = (className: string) =>
  new ConfigurationError(
    `@Agent ${className} is request-scoped or transient, or depends on something that is: runs outlive requests. Make it a singleton.`,
  );

import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import { ToolGuard } from '../contracts/ports/tool.guard.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { AgentRegistry } from '../runs/agent.registry.js';
import { ToolRegistry } from '../tools/tool.registry.js';

/** What can only be checked once every tool and agent is known: the application does not start with a name that means nothing. */
@Injectable()
export class BootChecks implements OnApplicationBootstrap {
  private readonly logger = new Logger('gatehouse');

  constructor(
    private readonly tools: ToolRegistry,
    private readonly agents: AgentRegistry,
    private readonly guard: ToolGuard,
    private readonly options: ResolvedOptions,
  ) {}

  onApplicationBootstrap(): void {
    if (this.options.persistence === undefined) this.logger.warn(IN_MEMORY);
    const names = this.tools.list().map((tool) => tool.name);
    this.guard.checkNames(names, this.tools.namespaces());
    for (const { options } of this.agents.list()) {
      const unknown = (options.tools ?? []).filter((name) => !names.includes(name));
      if (unknown.length > 0) throw unknownTools(options.name, unknown, names);
    }
    for (const name of names) {
      if (this.tools.registered(name)?.audit === 'required') throw notYetRequired(name);
    }
  }
}

const IN_MEMORY = 'No persistence: runs, approvals and evidence live in memory and end with the process.';

const unknownTools = (agent: string, unknown: readonly string[], names: readonly string[]) =>
  new ConfigurationError(
    `@Agent '${agent}' offers ${unknown.join(', ')}, and there is no such tool. Tools: ${names.join(', ') || 'none'}.`,
  );

const notYetRequired = (tool: string) =>
  new ConfigurationError(
    `Tool '${tool}' asks for audit: 'required', which is not available in this version: leave it out.`,
  );

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
    this.checkRequired(names.filter((name) => this.tools.registered(name)?.audit === 'required'));
  }

  private checkRequired([tool]: readonly string[]): void {
    const { persistence, audit } = this.options;
    if (persistence !== undefined && audit.enabled) return;
    if (audit.durability === 'required') throw nowhereToRecord("audit.durability: 'required'");
    if (tool !== undefined) throw nowhereToRecord(`Tool '${tool}' with audit: 'required'`);
  }
}

const IN_MEMORY = 'No persistence: runs, approvals and evidence live in memory and end with the process.';

const unknownTools = (agent: string, unknown: readonly string[], names: readonly string[]) =>
  new ConfigurationError(
    `@Agent '${agent}' offers ${unknown.join(', ')}, and there is no such tool. Tools: ${names.join(', ') || 'none'}.`,
  );

const nowhereToRecord = (what: string) =>
  new ConfigurationError(
    `${what} needs evidence that lasts: give GatehouseModule 'persistence', and do not set audit to false.`,
  );

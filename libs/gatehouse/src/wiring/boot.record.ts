import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EvidenceWriter } from '../audit/evidence.writer.js';
import { ResolvedOptions } from '../contracts/resolved.options.js';
import { ToolRegistry } from '../tools/tool.registry.js';
import { newId } from '../values/ids.js';
import { VERSION } from '../values/version.js';

/** Puts into the evidence what is in force from now on: an auditor sees when the guard was off, or a tool another one. */
@Injectable()
export class BootRecord implements OnApplicationBootstrap {
  constructor(
    private readonly writer: EvidenceWriter,
    private readonly tools: ToolRegistry,
    private readonly options: ResolvedOptions,
  ) {}

  onApplicationBootstrap(): void {
    if (this.options.persistence === undefined) return;
    const record = { id: newId(), kind: 'config', at: new Date(), status: 'booted', reference: VERSION } as const;
    this.writer.submit({ record, payload: { detail: JSON.stringify(this.inForce()) } });
  }

  private inForce(): unknown {
    const { audit, guard, approvals, failure } = this.options;
    return {
      guard: guard ?? null,
      audit: { enabled: audit.enabled, durability: audit.durability, loggers: audit.loggers?.map(({ name }) => name) },
      approvals: {
        expiresIn: approvals.expiresIn,
        executeWithin: approvals.executeWithin,
        signed: approvals.secrets.length > 0,
      },
      failure: { enabled: failure.enabled },
      tools: Object.fromEntries(this.tools.list().map(({ name, fingerprint }) => [name, fingerprint])),
    };
  }
}

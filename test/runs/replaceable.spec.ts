import { Injectable } from '@nestjs/common';
import { ToolFailurePolicy, ToolGuard, type ToolDefinition, type ToolGate, type UnjudgedTool } from 'nest-gatehouse';
import { call, says } from 'nest-gatehouse/testing';

import { boot, type GovernedApp } from '../support/governed/governed.app.js';
import { Bodies, OrderTools } from '../support/governed/order.tools.js';

let app: GovernedApp;
afterEach(() => app.close());

@Injectable()
class House {
  readonly words = 'The house says no.';
}

@Injectable()
class PoliteFailures extends ToolFailurePolicy {
  initialised = 0;

  constructor(private readonly house: House) {
    super();
  }

  onModuleInit(): void {
    this.initialised += 1;
  }

  override endsRun(): boolean {
    return false;
  }

  override toResult(): string {
    return this.house.words;
  }
}

@Injectable()
class EverythingGated extends ToolGuard {
  override judge(_tool: UnjudgedTool): { destructive: boolean; gate: ToolGate } {
    return { destructive: true, gate: { gated: true, why: 'the house rule' } };
  }

  override decide(tool: ToolDefinition): ToolGate {
    return tool.gate;
  }
}

describe('what an application replaces by DI token', () => {
  it('a failure policy with dependencies of its own is used, and initialised once', async () => {
    app = await boot({
      providers: [Bodies, OrderTools, House, { provide: ToolFailurePolicy, useClass: PoliteFailures }],
    });
    const { script } = await app.play([[call('broken')], [says('ok')]]);
    expect(script.results[0]).toMatchObject([{ outcome: 'failed', content: 'The house says no.' }]);
    // Read through whatever is injected under the token: the application's own one, made and initialised once.
    expect(app.module.get<PoliteFailures>(ToolFailurePolicy, { strict: false }).initialised).toBe(1);
  });

  it('a guard judges every tool at boot and every call', async () => {
    app = await boot({ providers: [Bodies, OrderTools, { provide: ToolGuard, useClass: EverythingGated }] });
    const { outcome } = await app.play([[call('lookup', { order: 1 })]]);
    expect(outcome).toMatchObject({ status: 'suspended', approvals: [{ toolName: 'lookup' }] });
    expect(app.module.get(Bodies).ran).toEqual([]);
  });
});

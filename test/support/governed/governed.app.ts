import type { ModuleMetadata, Provider } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import {
  AgentRunner,
  ApprovalService,
  AuditTrail,
  GatehouseModule,
  ToolExecutor,
  type AuditEvent,
  type AuditLogger,
  type GatehouseModuleOptions,
  type OperationRecord,
  type Principal,
  type RunEvent,
  type RunHandle,
  type RunOutcome,
  type RunRequest,
} from 'nest-gatehouse';
import { scriptedExecutor, type ExecutorLine, type ScriptedExecutor } from 'nest-gatehouse/testing';

export const ANN: Principal = { id: 'ann', organizationId: 'acme', roles: ['support'] };
export const BOB: Principal = { id: 'bob', organizationId: 'acme', roles: ['approver'] };

/** Keeps every execution record. */
export class KeptRecords implements AuditLogger {
  readonly events: AuditEvent[] = [];

  record(event: AuditEvent): void {
    this.events.push(event);
  }

  /** `tool success|error` of each, in order. */
  lines(): string[] {
    return this.events.map(({ toolName, success, error }) => `${toolName} ${success ? 'ok' : String(error)}`);
  }
}

/** One run, told to its end or its suspension. */
export interface Told {
  readonly handle: RunHandle;
  readonly outcome: RunOutcome;
  readonly events: readonly RunEvent[];
  readonly script: ScriptedExecutor;
}

/** An application around the module, with everything a test asks it. */
export class GovernedApp {
  readonly runner: AgentRunner;
  readonly tools: ToolExecutor;
  readonly approvals: ApprovalService;
  readonly trail: AuditTrail;

  constructor(
    readonly module: TestingModule,
    readonly records: KeptRecords,
  ) {
    this.runner = module.get(AgentRunner);
    this.tools = module.get(ToolExecutor);
    this.approvals = module.get(ApprovalService);
    this.trail = module.get(AuditTrail);
  }

  /** Plays a script as one run. */
  async play(lines: readonly ExecutorLine[], request: Partial<RunRequest> = {}): Promise<Told> {
    const script = scriptedExecutor(lines);
    const handle = this.runner.start({ agent: script, input: 'go', user: ANN, ...request });
    const events: RunEvent[] = [];
    for await (const event of handle.events) events.push(event);
    return { handle, script, events, outcome: await handle.outcome };
  }

  /** The events of the next segment of a run, after `seen` events. */
  async resumed(
    runId: string,
    decisions: Parameters<AgentRunner['resume']>[0]['decisions'],
    user = ANN,
  ): Promise<Omit<Told, 'script'>> {
    return told(this.runner.resume({ runId, user, decisions }));
  }

  /** The same, once deferred calls have their results. */
  async answered(
    runId: string,
    results: Parameters<AgentRunner['resume']>[0]['results'],
    user = ANN,
  ): Promise<Omit<Told, 'script'>> {
    return told(this.runner.resume({ runId, user, results }));
  }

  /** The decision ledger of one run, oldest first. */
  async operations(runId: string): Promise<readonly OperationRecord[]> {
    const { items } = await this.trail.operations({ runId });
    return items.toSorted(
      (one, other) => one.step - other.step || one.position - other.position || (one.id < other.id ? -1 : 1),
    );
  }

  /** `tool status[ by tool]` of each operation. */
  async statuses(runId: string): Promise<string[]> {
    const operations = await this.operations(runId);
    const nameOf = (id: string | null) => operations.find((operation) => operation.id === id)?.toolName;
    return operations.map(({ toolName, status, blockedByOperationId }) =>
      blockedByOperationId === null
        ? `${toolName} ${status}`
        : `${toolName} ${status} by ${nameOf(blockedByOperationId)}`,
    );
  }

  close(): Promise<void> {
    return this.module.close();
  }
}

const told = async (handle: RunHandle): Promise<Omit<Told, 'script'>> => {
  const events: RunEvent[] = [];
  for await (const event of handle.events) events.push(event);
  return { handle, events, outcome: await handle.outcome };
};

export interface Boot {
  readonly providers: Provider[];
  readonly options?: GatehouseModuleOptions;
  readonly imports?: ModuleMetadata['imports'];
}

/** Boots an application with these tools and roles; the guard is on, records are kept in memory. */
export async function boot({ providers, options = {}, imports = [] }: Boot): Promise<GovernedApp> {
  const records = new KeptRecords();
  const kept = { provide: KeptRecords, useValue: records };
  const audit = { loggers: [KeptRecords] };
  const gatehouse = GatehouseModule.forRoot({ guard: { enabled: true }, audit, runs: { grace: 50 }, ...options });
  const module = await Test.createTestingModule({
    imports: [...imports, gatehouse],
    providers: [...providers, kept],
  }).compile();
  module.enableShutdownHooks([]);
  await module.init();
  return new GovernedApp(module, records);
}

import { Injectable, Module, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import {
  Agent,
  AgentRunner,
  Decide,
  GatehouseModule,
  Hook,
  Inspector,
  RequireApproval,
  Tool,
  ToolExecutor,
  type AuditEvent,
  type AuditLogger,
  type GatehouseModuleOptions,
} from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';
import { call, says, ScriptedModel } from 'nest-gatehouse/testing';

export class LookupDto {
  @IsInt()
  id!: number;
}

const PLAIN = {
  type: 'object',
  properties: { id: { type: 'integer' } },
  required: ['id'],
  additionalProperties: false,
} as const;

@Injectable()
export class OrderTools {
  @Tool({ description: 'Look up one order', parameters: LookupDto })
  lookup({ id }: LookupDto): Promise<{ id: number; status: string }> {
    return Promise.resolve({ id, status: 'shipped' });
  }

  /** The same without a DTO. */
  @Tool({ description: 'Look up one order', parameters: PLAIN })
  plain({ id }: LookupDto): Promise<{ id: number; status: string }> {
    return Promise.resolve({ id, status: 'shipped' });
  }

  /** The same behind a predicate that lets it pass. */
  @Tool({ description: 'Look up one order', parameters: PLAIN })
  @RequireApproval<LookupDto>({ when: ({ id }) => id > 100 })
  predicate({ id }: LookupDto): Promise<{ id: number; status: string }> {
    return Promise.resolve({ id, status: 'shipped' });
  }
}

const inspectors = (count: number): Type[] =>
  Array.from({ length: count }, () => {
    @Inspector()
    class AcceptAll {
      inspectOperation() {
        return Decide.accept();
      }
    }
    return AcceptAll;
  });

const hooks = (count: number): Type[] =>
  Array.from({ length: count }, () => {
    @Hook()
    class LookOn {
      beforeTool(): void {}
    }
    return LookOn;
  });

@Injectable()
export class CountingLogger implements AuditLogger {
  records = 0;

  record(_event: AuditEvent): void {
    this.records += 1;
  }
}

/** One call, then an answer: for our run and for the SDK's own loop. */
export const benchModel = (): ScriptedModel =>
  new ScriptedModel(({ lastResults }) => (lastResults.length === 0 ? [call('lookup', { id: 7 })] : [says('Shipped.')]));

@Agent({ name: 'bench', tools: ['lookup'] })
class BenchAgent extends ModelAgent {
  override model = benchModel();
}

/** What one application under measurement holds. */
export interface BenchSetup {
  readonly inspectors: number;
  readonly hooks: number;
  /** Records in memory, counted; otherwise none. */
  readonly records: boolean;
}

/** An application under measurement, and the parts of it that are called. */
export const benchApp = async (setup: BenchSetup) => {
  const audit: GatehouseModuleOptions['audit'] = setup.records ? { loggers: [CountingLogger] } : false;
  const roles: Provider[] = [...inspectors(setup.inspectors), ...hooks(setup.hooks)];

  @Module({
    imports: [GatehouseModule.forRoot({ guard: { enabled: true }, audit })],
    providers: [OrderTools, CountingLogger, BenchAgent, ...roles],
  })
  class BenchModule {}

  const app = await NestFactory.createApplicationContext(BenchModule, { logger: false });
  return {
    tools: app.get(OrderTools),
    executor: app.get(ToolExecutor),
    runner: app.get(AgentRunner),
    logger: app.get(CountingLogger),
    close: () => app.close(),
  };
};

import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import {
  Agent,
  AgentRunner,
  Decide,
  GatehouseModule,
  Inspector,
  Tool,
  ToolExecutor,
  type AuditEvent,
  type AuditLogger,
  type OperationInspector,
} from 'nest-gatehouse';
import { ModelAgent } from 'nest-gatehouse/ai-sdk';
import { call, says, ScriptedModel } from 'nest-gatehouse/testing';

export class LookupDto {
  @IsInt()
  id!: number;
}

@Injectable()
export class OrderTools {
  @Tool({ description: 'Look up one order', parameters: LookupDto })
  lookup({ id }: LookupDto): Promise<{ id: number; status: string }> {
    return Promise.resolve({ id, status: 'shipped' });
  }
}

@Inspector()
class AcceptAll implements OperationInspector {
  inspectOperation() {
    return Decide.accept();
  }
}

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

@Module({
  imports: [GatehouseModule.forRoot({ guard: { enabled: true }, audit: { loggers: [CountingLogger] } })],
  providers: [OrderTools, AcceptAll, CountingLogger, BenchAgent],
})
class BenchModule {}

/** The application under measurement, and the parts of it that are called. */
export const benchApp = async () => {
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: false });
  return {
    tools: app.get(OrderTools),
    executor: app.get(ToolExecutor),
    runner: app.get(AgentRunner),
    logger: app.get(CountingLogger),
    close: () => app.close(),
  };
};

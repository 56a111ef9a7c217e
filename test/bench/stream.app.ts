import {
  Controller,
  Injectable,
  Module,
  UseGuards,
  type CanActivate,
  type DynamicModule,
  type ExecutionContext,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  AccessPolicy,
  Agent,
  GatehouseModule,
  RunController,
  Tool,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
  type ToolCall,
} from 'nest-gatehouse';

import type { StreamServer } from './stream.servers.js';
import type { Stage } from './stream.speech.js';

@Injectable()
class BenchGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    context.switchToHttp().getRequest<{ user?: object }>().user = { id: 'bench' };
    return true;
  }
}

class Everybody extends AccessPolicy {
  override can(): boolean {
    return true;
  }
}

@UseGuards(BenchGuard)
@Controller('agent')
class Runs extends RunController {}

@Injectable()
class WaitingTool {
  /** When the last one saw its signal. */
  seen: () => void = () => undefined;
  began: () => void = () => undefined;

  @Tool({ description: 'Waits', parameters: { type: 'object' } })
  async wait(_: object, { signal }: ToolCall): Promise<void> {
    const aborted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    this.began();
    await aborted;
    this.seen();
  }
}

/** What the runs do: set before they are started. */
@Agent({ name: 'bench', default: true })
class BenchAgent implements RunExecutor {
  execute: (run: RunContext) => Promise<RunCandidate> = async () => ({ value: null });
}

/** Says what the stage says, as one text. */
export const speaking =
  (stage: Stage) =>
  async (run: RunContext): Promise<RunCandidate> => {
    run.emit({ type: 'text.start', messageId: run.runId });
    for await (const delta of stage.deltas()) run.emit({ type: 'text.delta', messageId: run.runId, delta });
    run.emit({ type: 'text.end', messageId: run.runId });
    return { value: null };
  };

/** The same as events that cannot be merged. */
export const signalling =
  (stage: Stage) =>
  async (run: RunContext): Promise<RunCandidate> => {
    for await (const value of stage.deltas()) run.emit({ type: 'custom', name: 'progress', value });
    return { value: null };
  };

/** Our server, in memory or on a database. */
export interface OurServer extends StreamServer {
  readonly agent: BenchAgent;
  readonly tool: WaitingTool;
}

/** Opens it; without a database nothing is written to one. */
export async function ourServer(databaseUrl?: string): Promise<OurServer> {
  const typeorm: DynamicModule[] =
    databaseUrl === undefined
      ? []
      : [TypeOrmModule.forRoot({ type: 'postgres', url: databaseUrl, autoLoadEntities: true, extra: { max: 10 } })];
  const persistence = databaseUrl === undefined ? {} : { persistence: {} };
  @Module({
    imports: [...typeorm, GatehouseModule.forRoot({ guard: { enabled: true }, audit: false, ...persistence })],
    controllers: [Runs],
    providers: [BenchGuard, BenchAgent, WaitingTool, { provide: AccessPolicy, useClass: Everybody }],
  })
  class BenchModule {}
  const app = await NestFactory.create(BenchModule, { logger: ['error'], forceCloseConnections: true });
  await app.listen(0, '127.0.0.1');
  return {
    url: `${await app.getUrl()}/agent/runs`,
    agent: app.get(BenchAgent),
    tool: app.get(WaitingTool),
    close: () => app.close(),
  };
}

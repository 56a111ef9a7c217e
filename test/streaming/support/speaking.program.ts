// One server whose runs speak and never end: a process of its own, which is killed. Says where it listens on its standard output.
import 'reflect-metadata';
import { Controller, Injectable, Module, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  AccessPolicy,
  Agent,
  GatehouseModule,
  ProblemFilter,
  RunController,
  type Principal,
  type RunContext,
  type RunExecutor,
} from 'nest-gatehouse';

/** The user is what the request's headers say. */
@Injectable()
class HeaderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined>; user?: Principal }>();
    const { 'x-user': id, 'x-org': organizationId } = request.headers;
    if (id !== undefined) request.user = { id, organizationId, roles: [] };
    return true;
  }
}

@Injectable()
class Policy extends AccessPolicy {
  override can(): boolean {
    return true;
  }
}

@Agent({ name: 'desk', default: true })
class Speaker implements RunExecutor {
  execute(run: RunContext): Promise<never> {
    run.emit({ type: 'text.start', messageId: 'm' });
    run.emit({ type: 'text.delta', messageId: 'm', delta: 'partial answer' });
    return new Promise((_, reject) =>
      run.signal.addEventListener('abort', () => reject(run.signal.reason as Error), { once: true }),
    );
  }
}

@UseGuards(HeaderGuard)
@Controller('agent')
class Runs extends RunController {}

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env['CHAOS_DATABASE'], autoLoadEntities: true }),
    GatehouseModule.forRoot({ guard: { enabled: true }, persistence: {}, runs: { lease: '2s' } }),
  ],
  controllers: [Runs],
  providers: [HeaderGuard, Speaker, { provide: AccessPolicy, useClass: Policy }],
})
class ServerModule {}

// Whoever started it may be killed too: nothing is left behind.
process.stdin.once('end', () => process.exit(1)).resume();
const app = await NestFactory.create(ServerModule, { logger: ['error', 'warn'], forceCloseConnections: true });
app.useGlobalFilters(new ProblemFilter());
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
process.stdout.write(`listening ${await app.getUrl()}\n`);

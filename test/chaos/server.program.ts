// One server of the chaos test: a process of its own, which is killed at any moment. Says where it listens on its standard output.
import 'reflect-metadata';
import { Controller, Injectable, Module, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  AccessPolicy,
  ApprovalController,
  GatehouseModule,
  ProblemFilter,
  RunController,
  type AccessAction,
  type AccessResource,
  type Principal,
} from 'nest-gatehouse';
import { Counter, CountingAgent } from './counting.agent.js';

/** The user is what the request's headers say. */
@Injectable()
class HeaderGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined>; user?: Principal }>();
    const { 'x-user': id, 'x-org': organizationId, 'x-roles': roles } = request.headers;
    if (id !== undefined) request.user = { id, organizationId, roles: roles?.split(',') ?? [] };
    return true;
  }
}

/** Approvers of the organization see, decide and continue; clerks may try, and it is the approval's own rule that stops them. */
@Injectable()
class Policy extends AccessPolicy {
  override can({ organizationId, roles = [] }: Principal, action: AccessAction, resource: AccessResource): boolean {
    if (action === 'run.start') return true;
    if (organizationId !== resource.organizationId) return false;
    if (roles.includes('reader')) return action === 'approval.read';
    return roles.includes('approver') || roles.includes('clerk');
  }
}

@UseGuards(HeaderGuard)
@Controller('agent')
class Runs extends RunController {}

@UseGuards(HeaderGuard)
@Controller('agent')
class Approvals extends ApprovalController {}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'postgres',
      url: process.env['CHAOS_DATABASE'],
      autoLoadEntities: true,
      extra: { max: 8 },
    }),
    GatehouseModule.forRoot({
      guard: { enabled: true },
      persistence: { migrations: 'check' },
      runs: { lease: '2s', grace: 200, drain: '5s' },
      streaming: { onDisconnect: 'continue' },
      approvals: { secret: 'two servers share this secret of theirs' },
    }),
  ],
  controllers: [Runs, Approvals],
  providers: [HeaderGuard, Counter, CountingAgent, { provide: AccessPolicy, useClass: Policy }],
})
class ServerModule {}

// Whoever started it may be killed too: nothing is left behind.
process.stdin.once('end', () => process.exit(1)).resume();
const app = await NestFactory.create(ServerModule, { logger: ['error', 'warn'], forceCloseConnections: true });
app.useGlobalFilters(new ProblemFilter());
app.enableShutdownHooks();
await app.listen(0, '127.0.0.1');
process.stdout.write(`listening ${await app.getUrl()}\n`);

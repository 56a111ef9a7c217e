import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import {
  Controller,
  Injectable,
  Logger,
  Module,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  type ModuleMetadata,
} from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import {
  AccessPolicy,
  Agent,
  ApprovalController,
  AuditController,
  ChatController,
  GatehouseModule,
  ProblemFilter,
  RunController,
  type AccessAction,
  type AccessResource,
  type GatehouseModuleOptions,
  type Principal,
  type RunCandidate,
  type RunContext,
  type RunExecutor,
} from 'nest-gatehouse';
import { scriptedExecutor, type ExecutorLine, type ScriptedExecutor } from 'nest-gatehouse/testing';

import { DeskTools } from './desk.tools.js';
import { RecordingLogger } from './recording.logger.js';

/** The user is what the request's headers say: `x-user`, `x-org`, `x-roles`. */
@Injectable()
export class HeaderGuard implements CanActivate {
  /** What every request waits for first. */
  before: () => Promise<void> = async () => undefined;

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined>; user?: unknown }>();
    const { 'x-user': id, 'x-org': organizationId, 'x-roles': roles } = request.headers;
    if (id !== undefined) request.user = { id, organizationId, roles: roles?.split(',') ?? [] };
    await this.before();
    return true;
  }
}

/** Everybody may start; who has the role of an action (`approval.read`, `audit.read`, …) may do it in the same organization. */
@Injectable()
export class RolePolicy extends AccessPolicy {
  before: (action: AccessAction) => Promise<void> = async () => undefined;

  override async can(principal: Principal, action: AccessAction, resource: AccessResource): Promise<boolean> {
    await this.before(action);
    if (action === 'run.start') return principal.roles?.includes('barred') !== true;
    return principal.organizationId === resource.organizationId && principal.roles?.includes(action) === true;
  }
}

@UseGuards(HeaderGuard)
@Controller('agent')
class Runs extends RunController {}

@UseGuards(HeaderGuard)
@Controller('agent')
class Chat extends ChatController {}

@UseGuards(HeaderGuard)
@Controller('agent')
class Approvals extends ApprovalController {}

@UseGuards(HeaderGuard)
@Controller('agent')
class Audit extends AuditController {}

/** Plays whatever script the test has set last. */
@Agent({ name: 'desk', default: true })
export class DeskAgent implements RunExecutor {
  script: ScriptedExecutor = scriptedExecutor([]);

  execute(run: RunContext): Promise<RunCandidate> {
    return this.script.execute(run);
  }
}

export interface Desk {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly tools: DeskTools;
  readonly guard: HeaderGuard;
  readonly policy: RolePolicy;
  /** Each line is one model response. Returns what the executor saw. */
  play(lines: readonly ExecutorLine[]): ScriptedExecutor;
  /** Requests whose response is not closed yet. */
  busy(): number;
  get<T>(token: abstract new (...args: never[]) => T): T;
  close(): Promise<void>;
}

/** A desk on a loopback port: memory persistence unless the options, or an imported data source, say otherwise. `prepare` sees the app before it listens. */
export async function openDesk(
  options: GatehouseModuleOptions = {},
  imports: NonNullable<ModuleMetadata['imports']> = [],
  prepare: (app: NestExpressApplication) => void = () => undefined,
): Promise<Desk> {
  Logger.overrideLogger(false);
  @Module({
    imports: [...imports, GatehouseModule.forRoot({ guard: { enabled: true }, ...options })],
    controllers: [Runs, Chat, Approvals, Audit],
    providers: [
      RecordingLogger,
      DeskTools,
      DeskAgent,
      HeaderGuard,
      RolePolicy,
      { provide: AccessPolicy, useExisting: RolePolicy },
    ],
  })
  class DeskModule {}
  const testing = await Test.createTestingModule({ imports: [DeskModule] }).compile();
  const app = testing.createNestApplication<NestExpressApplication>({ logger: false, forceCloseConnections: true });
  app.useBodyParser('json', { limit: '4mb' });
  app.useGlobalFilters(new ProblemFilter());
  prepare(app);
  const busy = new Set<ServerResponse>();
  const server: Server = app.getHttpServer();
  server.on('request', (_request, response: ServerResponse) => {
    busy.add(response);
    response.once('close', () => busy.delete(response));
  });
  // A response that waits behind another one of its connection never closes by itself.
  server.on('connection', (socket: Socket) =>
    socket.once('close', () => {
      for (const response of busy) if (response.req.socket === socket) busy.delete(response);
    }),
  );
  await app.listen(0, '127.0.0.1');
  const agent = app.get(DeskAgent);
  return {
    app,
    url: await app.getUrl(),
    tools: app.get(DeskTools),
    guard: app.get(HeaderGuard),
    policy: app.get(RolePolicy),
    play: (lines) => (agent.script = scriptedExecutor(lines)),
    busy: () => busy.size,
    get: (token) => app.get(token, { strict: false }),
    close: () => app.close(),
  };
}

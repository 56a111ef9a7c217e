import {
  ForbiddenException,
  Inject,
  Injectable,
  Scope,
  UseGuards,
  type ExecutionContext,
  type CanActivate,
} from '@nestjs/common';
import { APP_GUARD, REQUEST } from '@nestjs/core';
import { of } from 'rxjs';
import { TestCall } from './support/test.call.js';
import { Admin, Notes } from './support/tool.fixtures.js';
import { boot, logged, refusal, run, toolOf } from './support/tools.app.js';
import { isToolCall, Tool, type ToolCall } from './support/tools.room.js';

const trace: string[] = [];
beforeEach(() => {
  trace.length = 0;
});

describe('global guards', () => {
  @Injectable()
  class JwtGuard implements CanActivate {
    canActivate(context: ExecutionContext) {
      return context.switchToHttp().getRequest<{ headers: { authorization?: string } }>().headers.authorization === 'x';
    }
  }
  @Injectable()
  class NoGuard implements CanActivate {
    canActivate() {
      return Promise.resolve(false);
    }
  }
  @Injectable()
  class WiseGuard implements CanActivate {
    canActivate(context: ExecutionContext) {
      return of(isToolCall(context));
    }
  }
  const message = (name: string) =>
    `global guard ${name} saw a tool call; return true for isToolCall(context) where it has no say in tools`;

  it('run, fail closed, and are named: one that throws and one that says no', async () => {
    for (const [guard, name] of [
      [JwtGuard, 'JwtGuard'],
      [NoGuard, 'NoGuard'],
    ] as const) {
      const app = await boot({
        providers: [Notes, { provide: APP_GUARD, useClass: WiseGuard }, { provide: APP_GUARD, useClass: guard }],
      });
      const refused = await run(toolOf(app, 'write'), { text: 'a' }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ForbiddenException);
      expect((refused as Error).message).toBe(message(name));
      expect((refused as Error).cause instanceof TypeError).toBe(guard === JwtGuard);
    }
  });

  it('let tools pass that know them', async () => {
    const app = await boot({ providers: [Notes, { provide: APP_GUARD, useClass: WiseGuard }] });
    expect(await run(toolOf(app, 'write'), { text: 'a' })).toEqual([true, 'a']);
  });

  it('added by useGlobalGuards count', async () => {
    const app = await boot({ providers: [Notes] });
    const http = app.createNestApplication();
    http.useGlobalGuards(new NoGuard());
    await expect(run(toolOf(app, 'write'), { text: 'a' })).rejects.toThrow(message('NoGuard'));
  });

  it('[373] a request-scoped one runs with its dependencies for a static tool, and denies', async () => {
    @Injectable()
    class Policy {
      allows(call: ToolCall) {
        return call.user?.roles?.includes('admin') ?? false;
      }
    }
    @Injectable({ scope: Scope.REQUEST })
    class ScopedGuard implements CanActivate {
      constructor(
        private readonly policy: Policy,
        @Inject(REQUEST) private readonly request: ToolCall,
      ) {}
      canActivate() {
        return this.policy.allows(this.request);
      }
    }
    const app = await boot({ providers: [Notes, Policy, { provide: APP_GUARD, useClass: ScopedGuard }] });
    await expect(run(toolOf(app, 'write'), { text: 'a' })).rejects.toThrow(message('ScopedGuard'));
    expect(await run(toolOf(app, 'write'), { text: 'a' }, new TestCall(['admin']))).toEqual([true, 'a']);
  });

  it('a request-scoped one whose request is missing denies', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class HeaderGuard implements CanActivate {
      constructor(@Inject(REQUEST) private readonly request: { headers: { token: string } }) {}
      canActivate() {
        return this.request.headers.token !== 'forbidden';
      }
    }
    const app = await boot({ providers: [Notes, { provide: APP_GUARD, useClass: HeaderGuard }] });
    await expect(run(toolOf(app, 'write'), { text: 'a' })).rejects.toThrow(message('HeaderGuard'));
    @Injectable()
    class Own {
      @Tool('y')
      @UseGuards(HeaderGuard)
      own() {
        return 'passed';
      }
    }
    await expect(run(toolOf(await boot({ providers: [Own] }), 'own'))).rejects.toThrow(TypeError);
  });

  it('a transient one runs constructed', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class TransientGuard implements CanActivate {
      private readonly constructed = true;
      canActivate() {
        trace.push(`constructed ${this.constructed}`);
        return this.constructed;
      }
    }
    const app = await boot({ providers: [Notes, { provide: APP_GUARD, useClass: TransientGuard }] });
    expect(await run(toolOf(app, 'write'), { text: 'a' })).toEqual([true, 'a']);
    expect(trace).toEqual(['constructed true']);
  });

  it('a scoped one that Nest makes no instance of for a factory is refused at boot', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class ScopedGuard implements CanActivate {
      canActivate() {
        return true;
      }
    }
    expect(
      await refusal({
        providers: [
          { provide: 'NOTES', useFactory: () => new Notes() },
          { provide: APP_GUARD, useClass: ScopedGuard },
        ],
      }),
    ).toContain(
      'ConfigurationError: Notes#write: the global guard ScopedGuard has an instance per call, and Nest makes none for this provider',
    );
  });

  it('are listed for each tool at boot, beside its gate', async () => {
    const lines = await logged(async () =>
      boot({ providers: [Notes, Admin, { provide: APP_GUARD, useClass: WiseGuard }] }),
    );
    expect(lines.find((line) => line.startsWith('2 tools'))).toBe(
      [
        '2 tools',
        'tool   source       gate  why              global guards',
        'wipe   Admin#wipe   open  not destructive  WiseGuard',
        'write  Notes#write  open  not destructive  WiseGuard',
      ].join('\n'),
    );
  });
});

import {
  CanActivate,
  Catch,
  ForbiddenException,
  Inject,
  Injectable,
  Param,
  Scope,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  ValidationPipe,
  type ArgumentMetadata,
  type CallHandler,
  type ExecutionContext,
  type ExceptionFilter,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory, Reflector, REQUEST } from '@nestjs/core';
import { Module } from '@nestjs/common';
import { IsInt, IsString } from 'class-validator';
import { from, lastValueFrom, of } from 'rxjs';
import { map, mergeMap } from 'rxjs/operators';
import { z } from 'zod';
import { TestCall } from './support/test.call.js';
import { boot, logged, refusal, run, toolOf, ToolsRoom } from './support/tools.app.js';
import { isToolCall, Tool, validatedText, type ToolCall } from './support/tools.room.js';

const Roles = (...roles: string[]) => SetMetadata('roles', roles);

@Injectable()
class RolesGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}
  canActivate(context: ExecutionContext) {
    const wanted = this.reflector.getAllAndOverride<string[]>('roles', [context.getHandler(), context.getClass()]);
    // As guards for HTTP are written: the request is argument 0.
    const { user } = context.switchToHttp().getRequest<{ user?: { roles?: string[] } }>();
    return wanted.some((role) => user?.roles?.includes(role));
  }
}

const anything = z.looseObject({});

@Injectable()
class Admin {
  @Tool({ description: 'wipe', parameters: anything })
  @Roles('admin')
  @UseGuards(RolesGuard)
  wipe() {
    return 'wiped';
  }
}

class Note {
  @IsString()
  text!: string;
}

const trace: string[] = [];
beforeEach(() => {
  trace.length = 0;
});

describe('guards see the caller', () => {
  it('[371] never the model’s words: { user: { roles: [admin] } } does not pass a roles guard', async () => {
    const tool = toolOf(await boot({ providers: [Admin] }), 'wipe');
    await expect(run(tool, { user: { roles: ['admin'] } }, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
    expect(await run(tool, {}, new TestCall(['admin']))).toBe('wiped');
  });

  it('argument 0 is the call, the type is tool, nothing else is in reach, and arguments are not there yet', async () => {
    const seen: unknown[] = [];
    @Injectable()
    class Spy implements CanActivate {
      canActivate(context: ExecutionContext) {
        const call = context.getArgByIndex<ToolCall>(0);
        seen.push(context.getArgs().length, context.getType(), isToolCall(context), call.user?.id, call.args);
        seen.push(context.getHandler().name, context.getHandler().length, context.getClass().name);
        return true;
      }
    }
    @Injectable()
    class Notes {
      @Tool('x')
      @UseGuards(Spy)
      write(_note: Note, _call: ToolCall) {
        return 1;
      }
    }
    await run(toolOf(await boot({ providers: [Notes] }), 'write'), { text: 'secret' });
    expect(seen).toEqual([1, 'tool', true, 'ann', undefined, 'write', 2, 'Notes']);
  });

  it('metadata of the method goes before that of the class, inherited classes included', async () => {
    @Roles('clerk')
    @UseGuards(RolesGuard)
    class Base {
      @Tool('a')
      a() {
        return 'a';
      }
      @Tool('b')
      @Roles('boss')
      b() {
        return 'b';
      }
    }
    @Injectable()
    class Desk extends Base {}
    const app = await boot({ providers: [Desk] });
    expect(await run(toolOf(app, 'a'), {}, new TestCall(['clerk']))).toBe('a');
    await expect(run(toolOf(app, 'b'), {}, new TestCall(['clerk']))).rejects.toThrow(ForbiddenException);
    expect(await run(toolOf(app, 'b'), {}, new TestCall(['boss']))).toBe('b');
  });

  it('a refusal comes before validation, and only guards run for guard()', async () => {
    const tool = toolOf(await boot({ providers: [Admin] }), 'wipe');
    const call = new TestCall();
    const invocation = await tool.open(call);
    await expect(invocation.admit(call, () => trace.push('validated'))).rejects.toThrow(ForbiddenException);
    await expect(invocation.guard(call)).rejects.toThrow(ForbiddenException);
    expect(trace).toEqual([]);
    await expect(invocation.guard(new TestCall(['admin']))).resolves.toBeUndefined();
  });

  it('a mock keeps the guards of the class it stands in for', async () => {
    const app = await boot({ providers: [Admin] }, (builder) => builder.overrideProvider(Admin).useValue({ wipe: () => 'mocked' }));
    await expect(run(toolOf(app, 'wipe'), {}, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
    expect(await run(toolOf(app, 'wipe'), {}, new TestCall(['admin']))).toBe('mocked');
  });

  it('a rejection of validate passes through as the same object', async () => {
    const tool = toolOf(await boot({ providers: [Admin] }), 'wipe');
    const call = new TestCall(['admin']);
    const thrown = new Error('invalid');
    const invocation = await tool.open(call);
    await expect(invocation.admit(call, async () => Promise.reject(thrown))).rejects.toBe(thrown);
  });
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
  @Injectable()
  class Notes {
    @Tool('x')
    write(note: Note) {
      return note.text;
    }
  }
  const message = (name: string) => `global guard ${name} saw a tool call; return true for isToolCall(context) where it has no say in tools`;

  it('run, fail closed, and are named: one that throws and one that says no', async () => {
    for (const [guard, name] of [
      [JwtGuard, 'JwtGuard'],
      [NoGuard, 'NoGuard'],
    ] as const) {
      const app = await boot({ providers: [Notes, { provide: APP_GUARD, useClass: WiseGuard }, { provide: APP_GUARD, useClass: guard }] });
      const refused = await run(toolOf(app, 'write'), { text: 'a' }).catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(ForbiddenException);
      expect((refused as Error).message).toBe(message(name));
      expect((refused as Error).cause instanceof TypeError).toBe(guard === JwtGuard);
    }
  });

  it('let tools pass that know them', async () => {
    const app = await boot({ providers: [Notes, { provide: APP_GUARD, useClass: WiseGuard }] });
    expect(await run(toolOf(app, 'write'), { text: 'a' })).toBe('a');
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
    expect(await run(toolOf(app, 'write'), { text: 'a' }, new TestCall(['admin']))).toBe('a');
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
    expect(await run(toolOf(app, 'write'), { text: 'a' })).toBe('a');
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
      await refusal({ providers: [{ provide: 'NOTES', useFactory: () => new Notes() }, { provide: APP_GUARD, useClass: ScopedGuard }] }),
    ).toContain('ConfigurationError: Notes#write: the global guard ScopedGuard has an instance per call, and Nest makes none for this provider');
  });

  it('are listed for each tool at boot, beside its gate', async () => {
    const lines = await logged(async () => boot({ providers: [Notes, Admin, { provide: APP_GUARD, useClass: WiseGuard }] }));
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

describe('what Nest would pass over in silence is refused at boot', () => {
  class Plain {
    @Tool({ description: 'wipe', parameters: anything })
    @Roles('admin')
    @UseGuards(RolesGuard)
    wipe() {
      return 'wiped';
    }
  }

  it('[372] a guard on a tool of a factory or a value', async () => {
    const message =
      'ConfigurationError: Plain#wipe: Host does not hold its guard RolesGuard, so Nest would pass over it without a word. ' +
      'Nest collects them for class providers only: provide the class itself, or hand over an instance: new RolesGuard(…).';
    expect(await refusal({ providers: [{ provide: 'A', useFactory: () => new Plain() }] })).toBe(message);
    expect(await refusal({ providers: [{ provide: 'A', useValue: new Plain() }] })).toBe(message);
    expect(await refusal({ providers: [{ provide: Plain, useFactory: () => new Plain() }] })).toBe(message);
  });

  it('pipes and interceptors too', async () => {
    class Pipe implements PipeTransform {
      transform(value: unknown) {
        return value;
      }
    }
    class Interceptor implements NestInterceptor {
      intercept(_context: ExecutionContext, next: CallHandler) {
        return next.handle();
      }
    }
    @UsePipes(Pipe)
    class Piped {
      @Tool('x')
      x() {
        return 1;
      }
    }
    class Intercepted {
      @Tool('x')
      @UseInterceptors(Interceptor)
      x() {
        return 1;
      }
    }
    expect(await refusal({ providers: [{ provide: 'A', useValue: new Piped() }] })).toContain('does not hold its pipe Pipe');
    expect(await refusal({ providers: [{ provide: 'A', useValue: new Intercepted() }] })).toContain('does not hold its interceptor Interceptor');
  });

  it('an instance instead of a class works there', async () => {
    class Free {
      @Tool('x')
      @UseGuards({ canActivate: (context: ExecutionContext) => context.getArgByIndex<ToolCall>(0).user?.roles?.length === 1 })
      x() {
        return 'free';
      }
    }
    const tool = toolOf(await boot({ providers: [{ provide: 'A', useValue: new Free() }] }), 'x');
    expect(await run(tool, {}, new TestCall(['one']))).toBe('free');
    await expect(run(tool, {}, new TestCall())).rejects.toThrow(ForbiddenException);
  });

  it('a decorator above @Tool that drops the guards', async () => {
    const Wrapped = (): MethodDecorator => (_target, _key, descriptor: PropertyDescriptor) => {
      descriptor.value = () => 'wrapped';
    };
    @Injectable()
    class Notes {
      @Wrapped()
      @Tool({ description: 'x', parameters: anything })
      @UseGuards(RolesGuard)
      x() {
        return 1;
      }
    }
    expect(await refusal({ providers: [Notes] })).toBe(
      "ConfigurationError: Notes#x: a decorator above @Tool replaced the method and dropped its guard. Write @Tool and Nest's decorators above it.",
    );
  });

  it('parameter decorators', async () => {
    @Injectable()
    class Notes {
      @Tool('x')
      x(@Param('id') note: Note) {
        return note;
      }
    }
    expect(await refusal({ providers: [Notes] })).toBe(
      'ConfigurationError: Notes#x: parameter decorators do not work on tools: the first parameter is the arguments, the second the ToolCall. Remove them.',
    );
  });

  it('filters on the method and on the class', async () => {
    @Catch()
    class Filter implements ExceptionFilter {
      catch() {
        trace.push('filter');
      }
    }
    @Injectable()
    class OnMethod {
      @Tool('x')
      @UseFilters(Filter)
      x() {
        return 1;
      }
    }
    @Injectable()
    @UseFilters(new Filter())
    class OnClass {
      @Tool('x')
      x() {
        return 1;
      }
    }
    const rest = ': @UseFilters never runs for tools: the failure policy says what a failed call reads like. Remove it from the tool and its class.';
    expect(await refusal({ providers: [OnMethod] })).toBe(`ConfigurationError: OnMethod#x${rest}`);
    expect(await refusal({ providers: [OnClass] })).toBe(`ConfigurationError: OnClass#x${rest}`);
  });
});

describe('pipes, interceptors, filters', () => {
  class Trim implements PipeTransform {
    transform(value: { text?: string }, metadata: ArgumentMetadata) {
      trace.push(`${metadata.type} ${metadata.metatype?.name} ${metadata.data}`);
      return Object.assign(value, { text: value.text?.trim() });
    }
  }
  @Injectable()
  class Notes {
    @Tool('x')
    write(note: Note) {
      return [note instanceof Note, note.text];
    }
  }

  it('[375] a global trimming pipe changes what is shown, and that is what is rebuilt', async () => {
    const tool = toolOf(await boot({ providers: [Notes, { provide: APP_PIPE, useClass: Trim }] }), 'write');
    expect(await run(tool, { text: ' a ' })).toEqual([true, 'a']);
    expect(trace).toEqual(['body Note undefined']);
    const call = new TestCall();
    const invocation = await tool.open(call);
    const shown = validatedText(await invocation.admit(call, async () => ({ text: ' b ' })));
    expect(shown).toBe('{"text":"b"}');
    const rebuilt = await invocation.rebuild({ text: ' b ' }, shown);
    expect([rebuilt instanceof Note, { ...(rebuilt as Note) }]).toEqual([true, { text: 'b' }]);
  });

  it('global, class and method pipes run in this order, after the schema', async () => {
    const add = (letter: string): PipeTransform => ({ transform: (value: Note) => Object.assign(value, { text: value.text + letter }) });
    @Injectable()
    @UsePipes(add('c'))
    class Piped {
      @Tool('x')
      @UsePipes(add('m'))
      x(note: Note) {
        return note.text;
      }
    }
    const app = await boot({ providers: [Piped, { provide: APP_PIPE, useValue: add('g') }] });
    expect(await run(toolOf(app, 'x'), { text: '-' })).toBe('-gcm');
    await expect(run(toolOf(app, 'x'), { text: 5 })).rejects.toThrow('invalid: text: text must be a string');
  });

  it('two classes of one name keep their own DTO under a global ValidationPipe', async () => {
    const one = () => {
      @Injectable()
      class Same {
        @Tool({ name: 'first', description: 'x' })
        x(note: Note) {
          return [note.constructor.name, { ...note }];
        }
      }
      return Same;
    };
    const other = () => {
      class Amount {
        @IsInt()
        amount!: number;
      }
      @Injectable()
      class Same {
        @Tool({ name: 'second', description: 'x' })
        x(amount: Amount) {
          return [amount.constructor.name, { ...amount }];
        }
      }
      return Same;
    };
    const pipe = new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true });
    const app = await boot({ providers: [one(), other(), { provide: APP_PIPE, useValue: pipe }] });
    expect(await run(toolOf(app, 'first'), { text: 'a' })).toEqual(['Note', { text: 'a' }]);
    expect(await run(toolOf(app, 'second'), { amount: 5 })).toEqual(['Amount', { amount: 5 }]);
  });

  it('two providers with equal method names keep their own metadata', async () => {
    @Injectable()
    class Open {
      @Tool({ name: 'open', description: 'x' })
      @Roles('guest')
      @UseGuards(RolesGuard)
      act() {
        return 'open';
      }
    }
    @Injectable()
    class Closed {
      @Tool({ name: 'closed', description: 'x' })
      @Roles('admin')
      @UseGuards(RolesGuard)
      act() {
        return 'closed';
      }
    }
    const app = await boot({ providers: [Open, Closed] });
    expect(await run(toolOf(app, 'open'), {}, new TestCall(['guest']))).toBe('open');
    await expect(run(toolOf(app, 'closed'), {}, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
  });

  it('interceptors wrap the core, global outermost, and see the call with its arguments', async () => {
    const around = (name: string): NestInterceptor => ({
      intercept: (context: ExecutionContext, next: CallHandler) => {
        trace.push(`${name} before ${JSON.stringify(context.getArgByIndex<ToolCall>(0).args)} ${isToolCall(context)}`);
        return next.handle().pipe(map((value) => `${name}(${String(value)})`));
      },
    });
    @Injectable()
    @UseInterceptors(around('class'))
    class Wrapped {
      @Tool('x')
      @UseInterceptors(around('method'))
      x(note: Note) {
        trace.push('method');
        return note.text;
      }
    }
    const app = await boot({ providers: [Wrapped, { provide: APP_INTERCEPTOR, useValue: around('global') }] });
    expect(await run(toolOf(app, 'x'), { text: 'a' })).toBe('global(class(method(a)))');
    expect(trace).toEqual([
      'global before {"text":"a"} true',
      'class before {"text":"a"} true',
      'method before {"text":"a"} true',
      'method',
    ]);
  });

  it('parallel executions of one call keep their own arguments', async () => {
    @Injectable()
    @UseInterceptors({
      intercept: (_context: ExecutionContext, next: CallHandler) => from(new Promise((done) => setImmediate(done))).pipe(mergeMap(() => next.handle())),
    })
    class Slow {
      @Tool('x')
      x(note: Note) {
        return note.text;
      }
    }
    const tool = toolOf(await boot({ providers: [Slow] }), 'x');
    const call = new TestCall();
    const invocation = await tool.open(call);
    const start = (args: unknown) => invocation.execute(call, args, (arrived) => invocation.start(arrived, call));
    expect(await Promise.all([start({ text: 'a' }), start({ text: 'b' })])).toEqual(['a', 'b']);
  });

  it('an interceptor that gives nothing to the core never starts the method', async () => {
    @Injectable()
    @UseInterceptors({ intercept: () => of('cached') })
    class Cached {
      @Tool('x')
      x() {
        trace.push('started');
        return 'fresh';
      }
    }
    expect(await run(toolOf(await boot({ providers: [Cached] }), 'x'))).toBe('cached');
    expect(trace).toEqual([]);
  });

  it('what the method throws comes out as the same object', async () => {
    const thrown = new Error('broken');
    @Injectable()
    @UseInterceptors({ intercept: (_context: ExecutionContext, next: CallHandler) => next.handle() })
    class Broken {
      @Tool('x')
      x() {
        throw thrown;
      }
    }
    await expect(run(toolOf(await boot({ providers: [Broken] }), 'x'))).rejects.toBe(thrown);
  });

  it('[374] global filters never run: neither for a guard, nor for a pipe, nor for the method', async () => {
    @Catch()
    class Everything implements ExceptionFilter {
      catch() {
        trace.push('filter');
        return 'swallowed';
      }
    }
    const thrown = new Error('broken');
    @Injectable()
    class Broken {
      @Tool('x')
      x() {
        throw thrown;
      }
    }
    const app = await boot({ providers: [Broken, Admin, { provide: APP_FILTER, useClass: Everything }] });
    await expect(run(toolOf(app, 'x'))).rejects.toBe(thrown);
    await expect(run(toolOf(app, 'wipe'))).rejects.toThrow(ForbiddenException);
    expect(trace).toEqual([]);
  });

  it('one instance of a scoped tool serves guards, pipes, interceptors and the method of a call', async () => {
    let made = 0;
    @Injectable({ scope: Scope.REQUEST })
    class Session {
      readonly number = ++made;
    }
    @Injectable({ scope: Scope.REQUEST })
    class SessionGuard implements CanActivate {
      constructor(private readonly session: Session) {}
      canActivate() {
        trace.push(`guard ${this.session.number}`);
        return true;
      }
    }
    @Injectable({ scope: Scope.REQUEST })
    class SessionInterceptor implements NestInterceptor {
      constructor(private readonly session: Session) {}
      intercept(_context: ExecutionContext, next: CallHandler) {
        trace.push(`interceptor ${this.session.number}`);
        return next.handle();
      }
    }
    @Injectable()
    class Scoped {
      constructor(private readonly session: Session) {}
      @Tool('x')
      @UseGuards(SessionGuard)
      @UseInterceptors(SessionInterceptor)
      x() {
        trace.push(`method ${this.session.number}`);
        return this.session.number;
      }
    }
    const tool = toolOf(await boot({ providers: [Scoped, Session] }), 'x');
    expect([await run(tool), await run(tool)]).toEqual([1, 2]);
    expect(trace).toEqual(['guard 1', 'interceptor 1', 'method 1', 'guard 2', 'interceptor 2', 'method 2']);
  });

  it('the method may give an Observable: the core gets it as it is', async () => {
    @Injectable()
    class Streams {
      @Tool('x')
      x() {
        return of(1, 2);
      }
    }
    const tool = toolOf(await boot({ providers: [Streams] }), 'x');
    const call = new TestCall();
    const invocation = await tool.open(call);
    const value = await invocation.execute(call, {}, async (args) => lastValueFrom(invocation.start(args, call) as ReturnType<typeof of>));
    expect(value).toBe(2);
  });

  it('all of it works without HTTP', async () => {
    @Module({ imports: [ToolsRoom], providers: [Admin, Notes, { provide: APP_PIPE, useClass: Trim }] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    expect(await run(toolOf(app, 'write'), { text: ' a ' })).toEqual([true, 'a']);
    await expect(run(toolOf(app, 'wipe'), {}, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
    await app.close();
  });
});

import {
  Catch,
  ForbiddenException,
  Injectable,
  Scope,
  UseGuards,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type ExceptionFilter,
  type NestInterceptor,
  type CanActivate,
} from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { from, lastValueFrom, of, map, mergeMap } from 'rxjs';
import { TestCall } from './support/test.call.js';
import { Admin, Note } from './support/tool.fixtures.js';
import { boot, run, toolOf } from './support/tools.app.js';
import { isToolCall, Tool, type ToolCall } from './support/tools.room.js';

const trace: string[] = [];
beforeEach(() => {
  trace.length = 0;
});

describe('interceptors and filters', () => {
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
      intercept: (_context: ExecutionContext, next: CallHandler) =>
        from(new Promise((done) => setImmediate(done))).pipe(mergeMap(() => next.handle())),
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
    const start = (args: unknown) => invocation.execute(call, args, async (arrived) => invocation.start(arrived, call));
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
    const value = await invocation.execute(call, {}, async (args) =>
      lastValueFrom(invocation.start(args, call) as ReturnType<typeof of>),
    );
    expect(value).toBe(2);
  });
});

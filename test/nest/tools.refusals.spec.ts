import {
  Catch,
  ForbiddenException,
  Injectable,
  Param,
  Scope,
  UseFilters,
  UseGuards,
  UseInterceptors,
  UsePipes,
  type CallHandler,
  type CanActivate,
  type ExceptionFilter,
  type ExecutionContext,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common';
import { TestCall } from './support/test.call.js';
import { anything, Note, Roles, RolesGuard } from './support/tool.fixtures.js';
import { boot, refusal, run, toolOf } from './support/tools.app.js';
import { Tool, type ToolCall } from './support/tools.room.js';

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
    expect(await refusal({ providers: [{ provide: 'A', useValue: new Piped() }] })).toContain(
      'does not hold its pipe Pipe',
    );
    expect(await refusal({ providers: [{ provide: 'A', useValue: new Intercepted() }] })).toContain(
      'does not hold its interceptor Interceptor',
    );
  });

  it('a guard with an instance per call, on a factory beside a class that uses it too', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerCall implements CanActivate {
      canActivate() {
        return true;
      }
    }
    @Injectable()
    @UseGuards(PerCall)
    class Held {
      @Tool('a')
      a() {
        return 1;
      }
    }
    @UseGuards(PerCall)
    class Made {
      @Tool('b')
      b() {
        return 1;
      }
    }
    expect(await refusal({ providers: [Held, { provide: 'MADE', useFactory: () => new Made() }] })).toBe(
      'ConfigurationError: Made#b: its guard PerCall has an instance per call, which Nest makes for class providers only. Provide the class itself.',
    );
  });

  it('an instance instead of a class works there', async () => {
    class Free {
      @Tool('x')
      @UseGuards({
        canActivate: (context: ExecutionContext) => context.getArgByIndex<ToolCall>(0).user?.roles?.length === 1,
      })
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
        return 'swallowed';
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
    const rest =
      ': @UseFilters never runs for tools: the failure policy says what a failed call reads like. Remove it from the tool and its class.';
    expect(await refusal({ providers: [OnMethod] })).toBe(`ConfigurationError: OnMethod#x${rest}`);
    expect(await refusal({ providers: [OnClass] })).toBe(`ConfigurationError: OnClass#x${rest}`);
  });
});

import { ForbiddenException, Injectable, UseGuards, type ExecutionContext, type CanActivate } from '@nestjs/common';
import { TestCall } from './support/test.call.js';
import { Admin, Note, Roles, RolesGuard } from './support/tool.fixtures.js';
import { boot, run, toolOf } from './support/tools.app.js';
import { isToolCall, Tool, type ToolCall } from './support/tools.room.js';

const trace: string[] = [];
beforeEach(() => {
  trace.length = 0;
});

describe('guards see the caller', () => {
  it('[371] never the model’s words: { user: { roles: [admin] } } does not pass a roles guard', async () => {
    const tool = toolOf(await boot({ providers: [Admin] }), 'wipe');
    await expect(run(tool, { user: { roles: ['admin'] } }, new TestCall(['guest']))).rejects.toThrow(
      ForbiddenException,
    );
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

  it('only guards run for guard(), and a tool without guards has none', async () => {
    @Injectable()
    class Open {
      @Tool('x')
      open() {
        return 1;
      }
    }
    const app = await boot({ providers: [Admin, Open] });
    const { guard } = await toolOf(app, 'wipe').open(new TestCall());
    await expect(guard?.(new TestCall())).rejects.toThrow(ForbiddenException);
    await expect(guard?.(new TestCall(['admin']))).resolves.toBeUndefined();
    expect(trace).toEqual([]);
    expect(await toolOf(app, 'open').open(new TestCall())).toMatchObject({ guard: undefined, pipe: undefined });
  });

  it('a mock keeps the guards of the class it stands in for', async () => {
    const app = await boot({ providers: [Admin] }, (builder) =>
      builder.overrideProvider(Admin).useValue({ wipe: () => 'mocked' }),
    );
    await expect(run(toolOf(app, 'wipe'), {}, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
    expect(await run(toolOf(app, 'wipe'), {}, new TestCall(['admin']))).toBe('mocked');
  });

  it('a class under another token keeps its guards', async () => {
    const tool = toolOf(await boot({ providers: [{ provide: 'ADMIN', useClass: Admin }] }), 'wipe');
    await expect(run(tool, {}, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
    expect(await run(tool, {}, new TestCall(['admin']))).toBe('wiped');
  });
});

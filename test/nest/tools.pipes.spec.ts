import {
  ForbiddenException,
  Injectable,
  Module,
  UseGuards,
  UsePipes,
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
} from '@nestjs/common';
import { APP_PIPE, NestFactory } from '@nestjs/core';
import { IsInt } from 'class-validator';
import { TestCall } from './support/test.call.js';
import { Admin, Note, Notes, Roles, RolesGuard } from './support/tool.fixtures.js';
import { boot, run, toolOf, ToolsRoom } from './support/tools.app.js';
import { Tool, validatedText } from './support/tools.room.js';

const trace: string[] = [];
beforeEach(() => {
  trace.length = 0;
});

describe('pipes', () => {
  class Trim implements PipeTransform {
    transform(value: { text?: string }, metadata: ArgumentMetadata) {
      trace.push(`${metadata.type} ${metadata.metatype?.name} ${metadata.data}`);
      return Object.assign(value, { text: value.text?.trim() });
    }
  }

  it('[375] a global trimming pipe changes what is shown, and that is what is rebuilt', async () => {
    const tool = toolOf(await boot({ providers: [Notes, { provide: APP_PIPE, useClass: Trim }] }), 'write');
    expect(await run(tool, { text: ' a ' })).toEqual([true, 'a']);
    expect(trace).toEqual(['body Note undefined']);
    const call = new TestCall();
    const invocation = await tool.open(call);
    const shown = validatedText(await invocation.pipe?.({ text: ' b ' }));
    expect(shown).toBe('{"text":"b"}');
    const rebuilt = await invocation.rebuild({ text: ' b ' }, shown);
    expect([rebuilt instanceof Note, { ...(rebuilt as Note) }]).toEqual([true, { text: 'b' }]);
  });

  it('global, class and method pipes run in this order, after the schema', async () => {
    const add = (letter: string): PipeTransform => ({
      transform: (value: Note) => Object.assign(value, { text: value.text + letter }),
    });
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

  it('all of it works without HTTP', async () => {
    @Module({ imports: [ToolsRoom], providers: [Admin, Notes, { provide: APP_PIPE, useClass: Trim }] })
    class App {}
    const app = await NestFactory.createApplicationContext(App, { logger: false });
    expect(await run(toolOf(app, 'write'), { text: ' a ' })).toEqual([true, 'a']);
    await expect(run(toolOf(app, 'wipe'), {}, new TestCall(['guest']))).rejects.toThrow(ForbiddenException);
    await app.close();
  });
});

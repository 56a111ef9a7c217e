import { anything } from './support/tool.fixtures.js';
import { boot, refusal } from './support/tools.app.js';
import { Tool, ToolRegistry } from './support/tools.room.js';

const because = (label: string) =>
  `${label} is a generator (*): calling it runs nothing, so the tool would do nothing. ` +
  'Write a method, and return one value, or an Observable.';

class Plain {
  @Tool({ description: 'send', parameters: anything })
  send(): unknown {
    return 'sent';
  }
}

class Generating extends Plain {
  override *send() {
    yield 'sent';
  }
}

describe('a tool that is a generator is refused at boot, for calling it would run nothing', () => {
  it('a method with *, async or not', async () => {
    class Reports {
      @Tool({ description: 'list', parameters: anything })
      *list() {
        yield 'first';
      }
    }
    class Letters {
      @Tool({ description: 'send', parameters: anything })
      async *send() {
        yield await Promise.resolve('sent');
      }
    }
    expect(await refusal({ providers: [Reports] })).toBe(`ConfigurationError: ${because('Reports#list')}`);
    expect(await refusal({ providers: [Letters] })).toBe(`ConfigurationError: ${because('Letters#send')}`);
  });

  it('what stands in for a tool, by class, by factory or by value', async () => {
    const refused = `ConfigurationError: ${because('Generating#send')}`;
    expect(await refusal({ providers: [{ provide: Plain, useClass: Generating }] })).toBe(refused);
    expect(await refusal({ providers: [{ provide: Plain, useFactory: () => new Generating() }] })).toBe(refused);
    const bare = {
      *send() {
        yield 'sent';
      },
    };
    expect(await refusal({ providers: [{ provide: Plain, useValue: bare }] })).toBe(
      `ConfigurationError: ${because('Plain#send')}`,
    );
  });

  it('the call of a tool source', async () => {
    const module = await boot({});
    const source: Parameters<ToolRegistry['register']>[0] = {
      namespace: 'crm',
      tools: [{ name: 'find' }],
      *call() {
        yield 'found';
      },
    };
    const registry = module.get(ToolRegistry, { strict: false });
    expect(() => registry.register(source)).toThrow(because("The call of the tool source 'crm'"));
    expect(registry.list()).toEqual([]);
    await module.close();
  });

  it('a method that is none boots as before', async () => {
    const module = await boot({ providers: [Plain] });
    expect(module.get(ToolRegistry, { strict: false }).list()).toMatchObject([{ name: 'send' }]);
    await module.close();
  });
});

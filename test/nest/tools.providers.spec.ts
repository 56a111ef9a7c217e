import { Controller, Injectable, Module } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import { IsString } from 'class-validator';
import { TestCall } from './support/test.call.js';
import { boot, refusal, run, toolOf } from './support/tools.app.js';
import { Tool, ToolRegistry, type ToolCall } from './support/tools.room.js';

class Lookup {
  @IsString()
  id!: string;
}

@Injectable()
class Orders {
  readonly made = true;
  @Tool('Look up one order')
  lookup({ id }: Lookup, call: ToolCall) {
    return `${id} for ${call.user?.id} by ${this.made}`;
  }
}

const names = (app: Awaited<ReturnType<typeof boot>>) =>
  app
    .get(ToolRegistry, { strict: false })
    .list()
    .map(({ name }) => name);

describe('tools of every kind of provider', () => {
  it('a singleton is bound', async () => {
    const app = await boot({ providers: [Orders] });
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('o1 for ann by true');
    const call = new TestCall();
    const tool = toolOf(app, 'lookup');
    expect(await tool.open(call)).toBe(await tool.open(new TestCall()));
  });

  it('an alias, and a factory that hands on the same instance, are other names for it', async () => {
    const app = await boot({
      providers: [
        { provide: 'FACTORY', useFactory: (orders: Orders) => orders, inject: [Orders] },
        { provide: 'ALIAS', useExisting: Orders },
        Orders,
      ],
    });
    expect(names(app)).toEqual(['lookup']);
  });

  it('a factory and a value are bound by the class of what they give', async () => {
    const made = await boot({ providers: [{ provide: 'ORDERS', useFactory: async () => new Orders() }] });
    expect(await run(toolOf(made, 'lookup'), { id: 'o1' })).toBe('o1 for ann by true');
    const value = await boot({ providers: [{ provide: 'ORDERS', useValue: new Orders() }] });
    expect(await run(toolOf(value, 'lookup'), { id: 'o2' })).toBe('o2 for ann by true');
  });

  it('a class under another token is bound', async () => {
    const app = await boot({ providers: [{ provide: 'ORDERS', useClass: Orders }] });
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('o1 for ann by true');
  });

  it('null, null prototypes, primitives and hostile proxies have no tools and do no harm', async () => {
    const unreadable = () => {
      throw new Error('no');
    };
    const hostile = new Proxy(
      {},
      { getPrototypeOf: unreadable, getOwnPropertyDescriptor: unreadable, ownKeys: unreadable },
    );
    const app = await boot({
      providers: [
        { provide: 'A', useValue: null },
        { provide: Orders, useValue: null },
        { provide: 'B', useValue: Object.create(null) },
        { provide: 'C', useValue: 5 },
        { provide: 'D', useFactory: () => hostile },
      ],
    });
    expect(names(app)).toEqual([]);
  });

  it('an inherited tool is the subclass’s', async () => {
    @Injectable()
    class Special extends Orders {}
    const app = await boot({ providers: [Special] });
    expect(app.get(ToolRegistry, { strict: false }).get('lookup')?.source).toBe('Special#lookup');
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('o1 for ann by true');
  });

  it('parent and child together are a duplicate, and both are named', async () => {
    @Injectable()
    class Special extends Orders {}
    expect(await refusal({ providers: [Orders, Special] })).toBe(
      "ConfigurationError: Two tools are named 'lookup': Orders#lookup and Special#lookup (of Host). Give one of them another name: @Tool({ name }).",
    );
  });

  it('an override without @Tool would be gone: refused', async () => {
    @Injectable()
    class Special extends Orders {
      override lookup(_args: Lookup, _call: ToolCall) {
        return 'mine';
      }
    }
    expect(await refusal({ providers: [Special] })).toBe(
      'ConfigurationError: Special#lookup overrides a tool of Orders without a decorator of its own, so the tool would be gone. ' +
        'Put @Tool (or @DestructiveTool) on the override, or give the method another name.',
    );
  });

  it('an override with @Tool is the tool', async () => {
    @Injectable()
    class Special extends Orders {
      @Tool('Look up mine')
      override lookup(_args: Lookup, _call: ToolCall) {
        return 'mine';
      }
    }
    expect(await run(toolOf(await boot({ providers: [Special] }), 'lookup'), { id: 'o1' })).toBe('mine');
  });

  it('names that look alike are refused', async () => {
    @Injectable()
    class Others {
      @Tool({ name: 'LOOK-up', description: 'other' })
      other() {
        return 1;
      }
      @Tool({ name: 'look_up', description: 'same' })
      same() {
        return 1;
      }
    }
    expect(await refusal({ providers: [Others] })).toBe(
      "ConfigurationError: Two tools are named 'LOOK-up' and 'look_up', which look alike: Others#other and Others#same (of Host). " +
        'Give one of them another name: @Tool({ name }).',
    );
  });

  it('one class provided in two modules is refused', async () => {
    @Module({ providers: [Orders] })
    class Other {}
    expect(await refusal({ imports: [Other], providers: [Orders] })).toContain(
      'The class is provided twice: provide it in one module, export it, and import that module.',
    );
  });

  it('a controller is refused', async () => {
    @Controller()
    class Desk {
      @Tool('x')
      look() {
        return 1;
      }
    }
    expect(await refusal({ controllers: [Desk] })).toBe(
      'ConfigurationError: Desk#look: a controller cannot have tools: outside of a request Nest finds no guards of controllers. ' +
        'Move the method to a provider that both use.',
    );
  });

  it('tools of a lazily loaded module are there after refresh()', async () => {
    @Module({ providers: [Orders] })
    class Lazy {}
    const app = await boot({});
    await app.get(LazyModuleLoader).load(() => Lazy);
    expect(names(app)).toEqual([]);
    app.get(ToolRegistry, { strict: false }).refresh();
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('o1 for ann by true');
    app.get(ToolRegistry, { strict: false }).refresh();
    expect(names(app)).toEqual(['lookup']);
  });

  it('overrideProvider(Tools).useValue(mock) keeps its tools', async () => {
    const app = await boot({ providers: [Orders] }, (builder) =>
      builder.overrideProvider(Orders).useValue({ lookup: () => 'mocked' }),
    );
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('mocked');
    await expect(run(toolOf(app, 'lookup'), { id: 5 })).rejects.toThrow('invalid: id: id must be a string');
  });

  it('overrideProvider(Tools).useClass(Fake) keeps its tools', async () => {
    class Fake extends Orders {
      override lookup() {
        return 'fake';
      }
    }
    const app = await boot({ providers: [Orders] }, (builder) => builder.overrideProvider(Orders).useClass(Fake));
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('fake');
  });

  it('a stand-in without the method is refused', async () => {
    expect(await refusal({ providers: [Orders] }, (builder) => builder.overrideProvider(Orders).useValue({}))).toBe(
      "ConfigurationError: Orders#lookup: what Host provides for Orders has no method 'lookup', so the tool could not run. Add it.",
    );
  });

  it('an alias to a provider without the tools is refused', async () => {
    @Injectable()
    class Bare {}
    expect(await refusal({ providers: [Bare, { provide: Orders, useExisting: Bare }] })).toBe(
      'ConfigurationError: Orders in Host is another name for a provider without its tools, so they would be gone. ' +
        'Use useClass or useValue, which keep them, or decorate the methods of that provider.',
    );
  });
});

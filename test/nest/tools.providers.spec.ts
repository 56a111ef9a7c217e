import { Controller, Injectable, Module, Scope, UseGuards, type CanActivate } from '@nestjs/common';
import { LazyModuleLoader, REQUEST } from '@nestjs/core';
import { Inject } from '@nestjs/common';
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

let instances = 0;
@Injectable()
class Counter {
  readonly number = ++instances;
}

const names = (app: Awaited<ReturnType<typeof boot>>) => app.get(ToolRegistry, { strict: false }).list().map(({ name }) => name);

describe('tools of every kind of provider', () => {
  beforeEach(() => {
    instances = 0;
  });

  it('a singleton is bound', async () => {
    const app = await boot({ providers: [Orders] });
    expect(await run(toolOf(app, 'lookup'), { id: 'o1' })).toBe('o1 for ann by true');
    const call = new TestCall();
    const tool = toolOf(app, 'lookup');
    expect(await tool.open(call)).toBe(await tool.open(new TestCall()));
  });

  it('a request-scoped one has an instance per call, and the call as its request', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped {
      readonly number = ++instances;
      constructor(@Inject(REQUEST) private readonly request: ToolCall) {}
      @Tool('count')
      count() {
        return [this.number, this.request.operationId];
      }
    }
    const app = await boot({ providers: [Scoped] });
    const tool = toolOf(app, 'count');
    expect([await run(tool, {}, new TestCall([], 'a')), await run(tool, {}, new TestCall([], 'b'))]).toEqual([
      [1, 'a'],
      [2, 'b'],
    ]);
  });

  it('one that depends on a request-scoped provider, too', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Session extends Counter {}
    @Injectable()
    class Dependent {
      constructor(private readonly session: Session) {}
      @Tool('count')
      count() {
        return this.session.number;
      }
    }
    const tool = toolOf(await boot({ providers: [Session, Dependent] }), 'count');
    expect([await run(tool), await run(tool)]).toEqual([1, 2]);
  });

  it('one that a request-scoped guard makes request-scoped, too', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Guard extends Counter implements CanActivate {
      canActivate() {
        return this.number > 0;
      }
    }
    @Injectable()
    class Guarded extends Counter {
      @Tool('count')
      @UseGuards(Guard)
      count() {
        return this.number;
      }
    }
    const tool = toolOf(await boot({ providers: [Guarded] }), 'count');
    // The guard and its host are made for each call: 1 and 2, then 3 and 4.
    expect(new Set([await run(tool), await run(tool)]).size).toBe(2);
    expect(instances).toBe(4);
  });

  it('a transient one has an instance per call', async () => {
    @Injectable({ scope: Scope.TRANSIENT })
    class Transient extends Counter {
      @Tool('count')
      count() {
        return this.number;
      }
    }
    const tool = toolOf(await boot({ providers: [Transient] }), 'count');
    const first = (await run(tool)) as number;
    expect(await run(tool)).toBe(first + 1);
  });

  it('a durable one is resolved too, and works without a strategy', async () => {
    @Injectable({ scope: Scope.REQUEST, durable: true })
    class Durable extends Counter {
      @Tool('count')
      count() {
        return this.number;
      }
    }
    expect(await run(toolOf(await boot({ providers: [Durable] }), 'count'))).toBe(1);
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
    const hostile = new Proxy({}, { getPrototypeOf: () => { throw new Error('no'); }, get: () => { throw new Error('no'); } });
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

  it('a request-scoped tool of a lazily loaded module is resolved', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class Scoped extends Counter {
      @Tool('count')
      count() {
        return this.number;
      }
    }
    @Module({ providers: [Scoped] })
    class Lazy {}
    @Injectable({ scope: Scope.REQUEST })
    class Before extends Counter {
      @Tool('before')
      before() {
        return 'x';
      }
    }
    const app = await boot({ providers: [Before] });
    await run(toolOf(app, 'before'));
    await app.get(LazyModuleLoader).load(() => Lazy);
    app.get(ToolRegistry, { strict: false }).refresh();
    expect(await run(toolOf(app, 'count'))).toBe(2);
  });

  it('overrideProvider(Tools).useValue(mock) keeps its tools', async () => {
    const app = await boot({ providers: [Orders] }, (builder) => builder.overrideProvider(Orders).useValue({ lookup: () => 'mocked' }));
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

import { Inject, Injectable, Module, Scope, UseGuards, type CanActivate } from '@nestjs/common';
import { LazyModuleLoader, REQUEST } from '@nestjs/core';
import { TestCall } from './support/test.call.js';
import { boot, run, toolOf } from './support/tools.app.js';
import { Tool, ToolRegistry, type ToolCall } from './support/tools.room.js';

let instances = 0;
beforeEach(() => {
  instances = 0;
});

@Injectable()
class Counter {
  readonly number = ++instances;
}

describe('tools that are resolved per call', () => {
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
});

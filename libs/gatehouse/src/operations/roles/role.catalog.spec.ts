import { Injectable, Module, Scope, type Provider, type Type } from '@nestjs/common';
import { DiscoveryModule, ModuleRef } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import { Decide } from '../../contracts/decisions/decide.js';
import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { OperationRequest } from '../../contracts/operation.js';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import type { OperationInspector, OperationListener, ToolHook, ToolMiddleware } from '../../contracts/roles.js';
import { Hook } from '../../hooks/hook.decorator.js';
import { Inspector } from '../../inspection/inspector.decorator.js';
import { Middleware } from '../../middleware/middleware.decorator.js';
import { Listener } from './listener.decorator.js';
import { RoleCatalog } from './role.catalog.js';
import { RoleExplorer } from './role.explorer.js';
import type { PerRunRoles } from './run.roles.js';

class Accepting implements OperationInspector {
  inspectOperation() {
    return Decide.accept();
  }
}
class Quiet implements ToolHook {
  beforeTool(): void {}
}
class Passing implements ToolMiddleware {
  aroundTool = (_: unknown, next: () => Promise<unknown>): Promise<unknown> => next();
}
class Deaf implements OperationListener {
  operationFinished(): void {}
}

@Inspector()
class Beta extends Accepting {}
@Inspector()
class Alpha extends Accepting {}
@Inspector({ order: -1 })
class First extends Accepting {}
@Hook({ failClosed: true })
class Strict extends Quiet {}
@Hook()
class Lenient extends Quiet {}
@Middleware()
class Cache extends Passing {}
@Middleware({ wrappedBy: [Cache] })
class Audit extends Passing {}
@Listener()
class Ledger extends Deaf {}

const names = (list: readonly { readonly name: string }[]): readonly string[] => list.map(({ name }) => name);

async function started(providers: readonly Provider[], imports: readonly Type[] = []) {
  const options = { provide: ResolvedOptions, useValue: { limits: { decisionTimeout: 1000 } } };
  const builder = Test.createTestingModule({
    imports: [DiscoveryModule, ...imports],
    providers: [RoleExplorer, RoleCatalog, options, ...providers],
  });
  const app = await builder.compile();
  await app.init();
  return app;
}

const catalogOf = async (providers: readonly Provider[], imports: readonly Type[] = []): Promise<RoleCatalog> =>
  (await started(providers, imports)).get(RoleCatalog);

describe('RoleCatalog', () => {
  it('finds each role in any module, by order, then class name; middleware by its wishes', async () => {
    @Module({ providers: [Alpha, Ledger, Cache] })
    class Elsewhere {}
    const catalog = await catalogOf([Beta, First, Strict, Lenient, Audit], [Elsewhere]);
    expect(names(catalog.inspectors)).toEqual(['First', 'Alpha', 'Beta']);
    expect(catalog.hooks.map(({ name, failClosed }) => [name, failClosed])).toEqual([
      ['Lenient', false],
      ['Strict', true],
    ]);
    expect(names(catalog.middleware)).toEqual(['Cache', 'Audit']);
    expect(names(catalog.listeners)).toEqual(['Ledger']);
    expect(Object.isFrozen(catalog.inspectors)).toBe(true);
  });

  it("hands out the container's own instances", async () => {
    const app = await started([Alpha]);
    expect(app.get(RoleCatalog).inspectors[0]?.role).toBe(app.get(Alpha));
  });

  it('finds what factories and values hold, aliases once, null never', async () => {
    const catalog = await catalogOf([
      Alpha,
      { provide: 'alias', useExisting: Alpha },
      { provide: 'made', useFactory: () => new Beta() },
      { provide: 'held', useValue: new First() },
      { provide: Ledger, useValue: null },
      { provide: 'nothing', useValue: undefined },
    ]);
    expect(names(catalog.inspectors)).toEqual(['First', 'Alpha', 'Beta']);
    expect(catalog.listeners).toEqual([]);
  });

  it('a role replaced by another class stays one, by useClass or useExisting', async () => {
    const replaced = [Accepting, { provide: Alpha, useExisting: Accepting }, { provide: Beta, useClass: Accepting }];
    expect(names((await catalogOf(replaced)).inspectors)).toEqual(['Alpha', 'Beta']);
  });

  it('one class may have several roles', async () => {
    @Inspector()
    @Listener()
    class Both extends Accepting {
      operationFinished(): void {}
    }
    const catalog = await catalogOf([Both]);
    expect([names(catalog.inspectors), names(catalog.listeners)]).toEqual([['Both'], ['Both']]);
    expect(catalog.inspectors[0]?.role).toBe(catalog.listeners[0]?.role);
  });

  it('a role overridden in a test stays one', async () => {
    const mock: OperationInspector = { inspectOperation: () => Decide.abort('mock') };
    const options = { provide: ResolvedOptions, useValue: { limits: { decisionTimeout: 1000 } } };
    const app = await Test.createTestingModule({
      imports: [DiscoveryModule],
      providers: [RoleExplorer, RoleCatalog, options, Alpha],
    })
      .overrideProvider(Alpha)
      .useValue(mock)
      .compile();
    await app.init();
    const [found] = app.get(RoleCatalog).inspectors;
    expect(found?.name).toBe('Alpha');
    expect(found?.role).toBe(mock);
  });

  it('refuses scoped roles: request, transient, and by a dependency', async () => {
    @Inspector()
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest extends Accepting {}
    @Hook()
    @Injectable({ scope: Scope.TRANSIENT })
    class PerUse extends Quiet {}
    @Injectable({ scope: Scope.REQUEST })
    class Caller {}
    @Listener()
    class Dependent extends Deaf {
      constructor(readonly caller: Caller) {
        super();
      }
    }
    await expect(catalogOf([PerRequest])).rejects.toThrow(
      new ConfigurationError(
        '@Inspector PerRequest is request-scoped or transient, or depends on a provider that is. ' +
          'Roles are called outside of any request: make it a singleton, and read the caller from what it is handed.',
      ),
    );
    await expect(catalogOf([PerUse])).rejects.toThrow('@Hook PerUse is request-scoped or transient');
    await expect(catalogOf([Caller, Dependent])).rejects.toThrow('@Listener Dependent is request-scoped or transient');
  });

  it('refuses roles without a method of theirs', async () => {
    @Inspector()
    class Idle {}
    @Middleware()
    class Misspelt {
      arroundTool(): void {}
    }
    await expect(catalogOf([Idle])).rejects.toThrow(
      new ConfigurationError(
        '@Inspector Idle has none of the methods inspectOperation, inspectCommit: it would never be asked. ' +
          'Implement one of them, or take the decorator away.',
      ),
    );
    await expect(catalogOf([Misspelt])).rejects.toThrow('@Middleware Misspelt has none of the methods aroundTool');
  });

  it('[209] refuses middleware that cannot be placed', async () => {
    await expect(catalogOf([Audit])).rejects.toThrow(
      "Audit: 'wrappedBy' names Cache, which is no registered middleware",
    );
  });
});

describe('RoleCatalog#withRun', () => {
  const unresolved = (): Promise<never> => Promise.reject(new Error('not asked'));
  const REQUEST = {} as OperationRequest;

  it('without roles of its own a run has those of the application', async () => {
    const roles = await (await catalogOf([Alpha, Strict, Cache, Ledger])).withRun({}, unresolved);
    expect(roles.inspectors.size).toBe(1);
    expect(roles.hooks.hasBefore).toBe(true);
    expect([names(roles.middleware), names(roles.listeners)]).toEqual([['Cache'], ['Ledger']]);
    expect(Object.isFrozen(roles)).toBe(true);
  });

  it('its own come after, in list order, and its middleware stands inside', async () => {
    const asked: string[] = [];
    const asking = (name: string): OperationInspector => ({
      inspectOperation() {
        asked.push(name);
        return Decide.accept();
      },
    });
    const moduleWide = { provide: 'x', useFactory: () => Object.assign(new Alpha(), asking('module')) };
    const app = await started([moduleWide, Cache, Beta]);
    const perRun: PerRunRoles = {
      inspectors: [asking('second'), asking('third')],
      middleware: [new Passing(), new (class Inner extends Passing {})()],
      listeners: [new Ledger()],
    };
    const roles = await app.get(RoleCatalog).withRun(perRun, unresolved);
    await roles.inspectors.inspectOperation(REQUEST);
    expect(asked).toEqual(['module', 'second', 'third']);
    expect(names(roles.middleware)).toEqual(['Cache', 'Passing', 'Inner']);
    expect(names(roles.listeners)).toEqual(['Ledger']);
  });

  it('classes are resolved, instances are taken', async () => {
    const app = await started([Beta]);
    const moduleRef = app.get(ModuleRef);
    const roles = await app
      .get(RoleCatalog)
      .withRun({ inspectors: [Alpha], hooks: [Strict] }, (type) => moduleRef.create(type));
    expect(roles.inspectors.size).toBe(2);
    await expect(roles.hooks.before({ toolName: 't', args: {}, state: {} })).resolves.toMatchObject({ shadowed: [] });
  });

  it('failClosed of a per-run hook counts', async () => {
    class Crashing implements ToolHook {
      beforeTool(): never {
        throw new Error('oops');
      }
    }
    @Hook({ failClosed: true })
    class Closed extends Crashing {}
    const roles = await (await catalogOf([])).withRun({ hooks: [new Closed()] }, unresolved);
    await expect(roles.hooks.before({ toolName: 't', args: {}, state: {} })).rejects.toThrow(
      'Closed threw Error in beforeTool',
    );
  });

  it('a per-run role without a method is refused, an inline one by the name of its list', async () => {
    const catalog = await catalogOf([]);
    await expect(catalog.withRun({ hooks: [{}] }, unresolved)).rejects.toThrow(
      '@Hook inline hooks has none of the methods',
    );
  });

  it('a run is captured: what is decided later about its list changes nothing', async () => {
    const catalog = await catalogOf([]);
    const inspectors = [new Alpha()];
    const roles = await catalog.withRun({ inspectors }, unresolved);
    inspectors.push(new Beta());
    expect(roles.inspectors.size).toBe(1);
  });

  it('a decision time of its own is kept', async () => {
    const hanging: OperationInspector = { inspectOperation: () => new Promise(() => undefined) };
    const roles = await (await catalogOf([])).withRun({ inspectors: [hanging] }, unresolved, 5);
    await expect(roles.inspectors.inspectOperation(REQUEST)).rejects.toThrow('within 5 ms');
  });
});

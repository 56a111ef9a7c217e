import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ResolvedOptions } from '../../contracts/resolved.options.js';
import { HookChain } from '../../hooks/hook.chain.js';
import { hookOptions } from '../../hooks/hook.decorator.js';
import type { NamedHook } from '../../hooks/hook.answer.js';
import { InspectorChain, type NamedInspector } from '../../inspection/inspector.chain.js';
import { middlewareOptions } from '../../middleware/middleware.decorator.js';
import { orderMiddleware, type PlacedMiddleware } from '../../middleware/middleware.order.js';
import { perRunRoles, type ResolveRole } from './per-run.role.js';
import { RoleExplorer, type FoundRole } from './role.explorer.js';
import type { AddedRoles, NamedListener, PerRunRoles, RunRoles } from './run.roles.js';

/** The roles of the application, in the order they are asked. Filled when the module is initialised. */
@Injectable()
export class RoleCatalog implements OnModuleInit {
  private found: Catalog = NOTHING;

  constructor(
    private readonly explorer: RoleExplorer,
    private readonly options: ResolvedOptions,
  ) {}

  get inspectors(): readonly NamedInspector[] {
    return this.found.inspectors;
  }

  get hooks(): readonly NamedHook[] {
    return this.found.hooks;
  }

  /** Outermost first. */
  get middleware(): readonly PlacedMiddleware[] {
    return this.found.middleware;
  }

  get listeners(): readonly NamedListener[] {
    return this.found.listeners;
  }

  /** Throws `ConfigurationError` for roles that cannot work. */
  onModuleInit(): void {
    this.found = Object.freeze({
      inspectors: Object.freeze(this.explorer.find('inspectors')),
      hooks: Object.freeze(this.explorer.find('hooks').map(withFailClosed)),
      middleware: orderMiddleware(this.explorer.find('middleware').map(placed)),
      listeners: Object.freeze(this.explorer.find('listeners')),
    });
  }

  /**
   * What one run is captured with: the application's roles, then its own in list order; its own middleware stands inside the application's.
   *
   * @param inherited of the run above: its inspectors and hooks decide here too, before this run's own
   * @param decisionTimeout milliseconds for each decision of this run. Default `limits.decisionTimeout`
   * @throws ConfigurationError for a role without a method, or middleware that cannot be ordered
   */
  async withRun(
    perRun: PerRunRoles,
    resolve: ResolveRole,
    decisionTimeout: number = this.options.limits.decisionTimeout,
    inherited: AddedRoles = NOTHING,
  ): Promise<RunRoles> {
    const { inspectors, hooks, middleware, listeners } = this.found;
    const added = {
      inspectors: joined(inherited.inspectors, await perRunRoles('inspectors', perRun.inspectors, resolve)),
      hooks: joined(inherited.hooks, (await perRunRoles('hooks', perRun.hooks, resolve)).map(withFailClosed)),
      middleware: (await perRunRoles('middleware', perRun.middleware, resolve)).map(placed),
      listeners: await perRunRoles('listeners', perRun.listeners, resolve),
    };
    return Object.freeze({
      inspectors: new InspectorChain([...inspectors, ...added.inspectors], decisionTimeout),
      hooks: new HookChain([...hooks, ...added.hooks], decisionTimeout),
      middleware: Object.freeze([...middleware, ...orderMiddleware(added.middleware, middleware)]),
      listeners: Object.freeze([...listeners, ...added.listeners]),
      added: Object.freeze({ inspectors: added.inspectors, hooks: added.hooks }),
    });
  }
}

interface Catalog {
  readonly inspectors: readonly NamedInspector[];
  readonly hooks: readonly NamedHook[];
  readonly middleware: readonly PlacedMiddleware[];
  readonly listeners: readonly NamedListener[];
}

const NOTHING: Catalog = Object.freeze({ inspectors: [], hooks: [], middleware: [], listeners: [] });

/** The same instance is asked once. */
const joined = <Named extends { readonly role: object }>(
  inherited: readonly Named[],
  own: readonly Named[],
): readonly Named[] => [...inherited, ...own.filter(({ role }) => !inherited.some((each) => each.role === role))];

const withFailClosed = ({ name, type, role }: FoundRole<'hooks'>): NamedHook =>
  Object.freeze({ name, role, failClosed: hookOptions(type)?.failClosed ?? false });

const placed = ({ name, type, role }: FoundRole<'middleware'>): PlacedMiddleware =>
  Object.freeze({ name, type, role, options: middlewareOptions(type) ?? {} });

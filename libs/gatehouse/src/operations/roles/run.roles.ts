import type { OperationListener } from '../../contracts/roles.js';
import type { RoleRef } from '../../contracts/run.js';
import type { HookChain } from '../../hooks/hook.chain.js';
import type { NamedHook } from '../../hooks/hook.answer.js';
import type { InspectorChain, NamedInspector } from '../../inspection/inspector.chain.js';
import type { NamedMiddleware } from '../../middleware/middleware.order.js';
import type { RoleKind, RoleTypes } from './role.kinds.js';

/** A listener and the class name it is known by. */
export interface NamedListener {
  readonly name: string;
  readonly role: OperationListener;
}

/** Everything with a say in one run, captured when it starts. */
export interface RunRoles {
  readonly inspectors: InspectorChain;
  readonly hooks: HookChain;
  /** Outermost first. */
  readonly middleware: readonly NamedMiddleware[];
  readonly listeners: readonly NamedListener[];
  /** What a run started by one of its calls has too. */
  readonly added: AddedRoles;
}

/** The inspectors and hooks that agents and runs added to the application's. */
export interface AddedRoles {
  readonly inspectors: readonly NamedInspector[];
  readonly hooks: readonly NamedHook[];
}

/** Roles that one agent or one run adds, as classes or instances. */
export type PerRunRoles = { readonly [Kind in RoleKind]?: readonly RoleRef<RoleTypes[Kind]>[] };

import { isNotifier } from '../../approvals/notices/approval.notifier.decorator.js';
import type { ApprovalListener } from '../../contracts/approval.listener.js';
import type { OperationInspector, OperationListener, ToolHook, ToolMiddleware } from '../../contracts/roles.js';
import { hookOptions } from '../../hooks/hook.decorator.js';
import { inspectorOrder } from '../../inspection/inspector.decorator.js';
import { middlewareOptions } from '../../middleware/middleware.decorator.js';
import { isListener } from './listener.decorator.js';

/** The roles, by the name of their list. */
export interface RoleTypes {
  readonly inspectors: OperationInspector;
  readonly hooks: ToolHook;
  readonly middleware: ToolMiddleware;
  readonly listeners: OperationListener;
  readonly notifiers: ApprovalListener;
}

export type RoleKind = keyof RoleTypes;

/** What makes a class one of a kind, and what its instances must be able to do. */
export interface RoleRule {
  readonly decorator: string;
  /** Its order among its kind; undefined for a class that is none of it. */
  order(type: object): number | undefined;
  /** One of these at least. */
  readonly methods: readonly string[];
}

export const ROLE_RULES: { readonly [Kind in RoleKind]: RoleRule } = Object.freeze({
  inspectors: { decorator: '@Inspector', order: inspectorOrder, methods: ['inspectOperation', 'inspectCommit'] },
  hooks: {
    decorator: '@Hook',
    order: (type: object) => hookOptions(type)?.order,
    methods: ['beforeTool', 'afterTool', 'onError'],
  },
  middleware: {
    decorator: '@Middleware',
    order: (type: object) => (middlewareOptions(type) === undefined ? undefined : 0),
    methods: ['aroundTool'],
  },
  listeners: {
    decorator: '@Listener',
    order: (type: object) => (isListener(type) ? 0 : undefined),
    methods: ['operationFinished', 'runFinished'],
  },
  notifiers: {
    decorator: '@ApprovalNotifier',
    order: (type: object) => (isNotifier(type) ? 0 : undefined),
    methods: ['approvalRequested', 'approvalDecided'],
  },
});

/** Whether an instance can do what its role asks. */
export function fulfils<Kind extends RoleKind>(kind: Kind, instance: unknown): instance is RoleTypes[Kind] {
  if (typeof instance !== 'object' || instance === null) return false;
  return ROLE_RULES[kind].methods.some((method) => typeof Reflect.get(instance, method) === 'function');
}

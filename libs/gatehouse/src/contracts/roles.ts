import type { AuditEvent } from './audit.event.js';
import type { Awaitable } from './awaitable.js';
import type { CommitDecision, HookDecision, OperationDecision } from './decisions/decisions.js';
import type { JsonValue } from './json.js';
import type { OperationFinished, OperationRequest } from './operation.js';
import type { TerminalRecord } from './terminal.record.js';
import type { ToolCall } from './tool.call.js';
import type { RunUsage } from './usage.js';

/** What a commit inspector sees: the result about to become the run's. */
export interface RunCommit {
  readonly runId: string;
  /** The value; where the run raises, the error. */
  readonly output: unknown;
  readonly outcome: 'return' | 'raise';
  readonly failedOperations: readonly OperationFinished[];
  readonly usage: RunUsage;
  readonly state: Readonly<Record<string, JsonValue>>;
}

/** Decides whether a call may run and whether a result may be committed. A throw ends the run (fail closed). Mark with `@Inspector()`. */
export interface OperationInspector {
  inspectOperation?(request: OperationRequest): Awaitable<OperationDecision>;
  inspectCommit?(commit: RunCommit): Awaitable<CommitDecision>;
}

/** What a hook sees. `call` is absent in the standalone `HookRunner`. */
export interface HookCall {
  readonly toolName: string;
  readonly args: unknown;
  readonly state: unknown;
  readonly call?: ToolCall;
}

/** Continue, skip with a stub, redirect or abort; sees results and errors. A throw is logged and read as Continue. Mark with `@Hook()`. */
export interface ToolHook {
  beforeTool?(call: HookCall): Awaitable<HookDecision | undefined | void>;
  afterTool?(
    call: HookCall & { readonly result: unknown; readonly durationMs: number },
  ): Awaitable<HookDecision | undefined | void>;
  onError?(call: HookCall & { readonly error: unknown }): Awaitable<HookDecision | undefined | void>;
}

/** Wraps the execution: cache, rate limit, tracing. Mark with `@Middleware()`. */
export interface ToolMiddleware {
  aroundTool(call: ToolCall, next: (changed?: { readonly args: unknown }) => Promise<unknown>): Promise<unknown>;
}

/** Receives each finished operation and run, authoritatively: a throw fails the run. Mark with `@Listener()`. */
export interface OperationListener {
  operationFinished?(fact: OperationFinished): Awaitable<void>;
  runFinished?(record: TerminalRecord): Awaitable<void>;
}

/** A sink for execution records. A throw costs the record, never the run. */
export interface AuditLogger {
  record(event: AuditEvent): Awaitable<void>;
}

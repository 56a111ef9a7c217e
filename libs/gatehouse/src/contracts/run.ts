import type { Type } from '@nestjs/common';
import type { ApprovalRequest, Decision } from './approval.js';
import type { Awaitable } from './awaitable.js';
import type { DeferredCall, ExternalResult } from './deferred.call.js';
import type { JsonSchema, JsonValue } from './json.js';
import type { RunLimits } from './limits.js';
import type { ProposedCall, ToolCallResult } from './operation.js';
import type { OutputSpec } from './output.js';
import type { Principal } from './principal.js';
import type { OperationInspector, OperationListener, ToolHook, ToolMiddleware } from './roles.js';
import type { EmittedEvent, RunEvent } from './run.events.js';
import type { RunStage, RunStatus } from './statuses.js';
import type { ThreadMessage, UserMessage } from './thread.message.js';
import type { ToolDefinition } from './tool.definition.js';
import type { RunUsage } from './usage.js';

/** A class keeps the run resumable anywhere; an instance only where it lives. */
export type RoleRef<T extends object> = Type<T> | T;

/** What starts a run. */
export interface RunRequest {
  /** An `@Agent` name, or an inline executor (resumable only in this process). */
  readonly agent: string | RunExecutor;
  readonly input: string | readonly UserMessage[];
  /** Default: a new thread. */
  readonly threadId?: string;
  /** Default: a new id (uuid v7). */
  readonly runId?: string;
  /** The client's name for this segment of the stream; default: the run id. */
  readonly segment?: string;
  /** Added to the agent's own instructions. */
  readonly instructions?: string;
  /** Narrows the tools the agent offers. */
  readonly tools?: readonly string[];
  /** What the result must be; in place of the agent's own. Keeps the run in this process. */
  readonly output?: OutputSpec;
  readonly user?: Principal;
  readonly organizationId?: string;
  readonly ipAddress?: string;
  /** Plain JSON, copied; what is none (a cycle, a bigint) is refused with `InvalidQueryError`, and ends the run once a tool makes it so. */
  readonly state?: Readonly<Record<string, JsonValue>>;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
  /** Before each model request; throw `RunStoppedError` to stop. */
  admit?(usage: RunUsage): Awaitable<void>;
  readonly inspectors?: readonly RoleRef<OperationInspector>[];
  readonly hooks?: readonly RoleRef<ToolHook>[];
  readonly middleware?: readonly RoleRef<ToolMiddleware>[];
  readonly listeners?: readonly RoleRef<OperationListener>[];
}

/**
 * What resumes a suspended run. All that is given counts, or nothing of it; what counts is kept while something else is still waited for. The same
 * again is a no-op.
 */
export interface ResumeRequest {
  readonly runId: string;
  readonly user: Principal;
  readonly decisions?: readonly Decision[];
  /** What deferred calls came to. Only the principal of the run gives them; of a run without one, anybody of its organization. */
  readonly results?: readonly ExternalResult[];
  /** The client's name for the new segment; default: a new id. */
  readonly segment?: string;
  readonly signal?: AbortSignal;
}

/** A run under way. */
export interface RunHandle {
  readonly runId: string;
  readonly threadId: string;
  /** Resolves once the run (or its resumption) is stored, with the `seq` of its first event; rejects where it was refused. */
  readonly started: Promise<{ readonly firstSeq: number }>;
  /** This segment's events, from its `run.started` to its terminal event. */
  readonly events: AsyncIterable<RunEvent>;
  /** Resolves for every status; rejects only with what a `runFinished` listener threw. */
  readonly outcome: Promise<RunOutcome>;
  /** The output, or throws the run's error; a suspended run throws `RunSuspended`. */
  result(): Promise<unknown>;
  cancel(reason?: string): Promise<RunStatus>;
}

/** What one segment of a run came to: its end, or a wait for people and for results from outside. `stage` says where an end happened that nobody wanted. */
export type RunOutcome =
  | { readonly status: 'completed'; readonly output: unknown; readonly text: string }
  | {
      readonly status: 'suspended';
      readonly approvals: readonly ApprovalRequest[];
      readonly deferred: readonly DeferredCall[];
    }
  | {
      readonly status: 'raised' | 'failed' | 'aborted' | 'cancelled' | 'interrupted';
      readonly error: Error;
      readonly stage: RunStage;
    };

/** What an executor proposes as the end. */
export type RunCandidate = { readonly value: unknown } | { readonly raise: Error };

/** Drives one run: proposes calls through the context, returns a candidate. Any class with `@Agent`, or an inline object. */
export interface RunExecutor {
  execute(run: RunContext): Promise<RunCandidate>;
}

/** What one visible model response said besides its calls. */
export interface ResponseFacts {
  readonly text?: string;
  /** The id of the text message the executor streamed, so that history and stream agree. */
  readonly messageId?: string;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/**
 * What an executor may do. `call` and `callBatch` throw `RunSuspended` when a person, or a result from outside, is waited for: let it pass; an
 * executor that does not has the grace of a cancelled one.
 *
 * Each is one response, and a run has one at a time: those that are started side by side go one after the other, and once one of them waits the
 * others never start. Calls that belong together go into one `callBatch`. A run ends when all that its executor has started has ended. Inside a
 * tool of the run they throw: call through `ToolExecutor` there.
 */
export interface RunContext {
  readonly runId: string;
  readonly threadId: string;
  readonly agent: string;
  readonly user?: Principal;
  /** The agent's `instructions` are its own; these are the request's. */
  readonly instructions?: string;
  /** One call on its own; throws what happened, `OperationRejectedError` on a refusal. */
  call(name: string, args?: unknown): Promise<unknown>;
  /** One response: its calls in emission order, with the barrier. Failures come back as results. No calls: a plain answer. Then look at `output`. */
  callBatch(calls: readonly ProposedCall[], response?: ResponseFacts): Promise<readonly ToolCallResult[]>;
  /** Before each model request: counts it, checks limits, the host's `admit` and cancellation. */
  admitRequest(): Promise<void>;
  /** What may be proposed, `final_output` (kind `output`) among it where the run has an output of mode `tool`. */
  tools(): readonly ToolDefinition[];
  /** JSON Schema that the text of a response must follow; only where the run has an output of mode `native`. */
  readonly responseSchema?: JsonSchema;
  /** What the last response made the result: a plain answer where no output is asked for, else an accepted output. Return it. */
  readonly output?: RunCandidate;
  /** The stored thread, this run's part included. */
  readonly messages: readonly ThreadMessage[];
  readonly state: Record<string, JsonValue>;
  readonly signal: AbortSignal;
  readonly usage: RunUsage;
  readonly limits: RunLimits;
  emit(event: EmittedEvent): void;
  /** After a suspension: the results of the response that waited, already part of `messages`. */
  readonly resumed?: readonly ToolCallResult[];
}

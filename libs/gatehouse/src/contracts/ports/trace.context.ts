import type { RunOutcome } from '../run.js';
import type { DecidedBy, OperationStatus } from '../statuses.js';

/** Where in a trace something happened. */
export interface TraceIds {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
}

/** One segment of a run: from its start, or from where it goes on, to its end or its next wait. */
export interface TracedRun {
  readonly runId: string;
  readonly threadId: string;
  readonly agent: string;
  readonly parentRunId?: string | undefined;
  /** Tokens of this segment so far; nothing where no model that counts them was asked. */
  usage(): { readonly inputTokens: number; readonly outputTokens: number } | undefined;
}

/** One proposed call. */
export interface TracedCall {
  readonly runId: string;
  readonly operationId: string;
  readonly toolCallId: string;
  readonly toolName: string;
  readonly description?: string | undefined;
  /** JSON, redacted; made when it is asked for. */
  arguments(): string;
}

/** What a call came to; `waiting`: for a person, or for a result from outside. */
export interface TracedEnd {
  readonly status: OperationStatus | 'waiting';
  readonly decidedBy?: DecidedBy | undefined;
  readonly error?: unknown;
  /** JSON, redacted, of what the method returned; absent where it returned nothing that counts. */
  result?(): string;
}

/**
 * Which trace the work at hand belongs to, for records, and the spans around it. By default there is none. Replace by this DI token;
 * `GatehouseTracingModule` of `nest-gatehouse/opentelemetry` does. Nothing here may throw: no run and no record depends on a span.
 */
export abstract class TraceContext {
  /** Whether it makes spans. False: only `current` is asked, and nothing is made for the others. */
  readonly spans: boolean = false;

  /** Where the code that asks now stands; nothing without a trace. */
  abstract current(): TraceIds | undefined;

  /** Calls `work` once, with whatever it does inside the span of this segment, and hands on what it comes to. */
  run(_run: TracedRun, work: () => Promise<RunOutcome>): Promise<RunOutcome> {
    return work();
  }

  /** The same around the execution of one call, which is about to start. `ended` reads what it came to. */
  call<T>(_call: TracedCall, work: () => Promise<T>, _ended: (came: T) => TracedEnd): Promise<T> {
    return work();
  }

  /** A call ended that was never inside `call` here: it was refused, or answered elsewhere. Returns where that is said. */
  settled(_call: TracedCall, _end: TracedEnd): TraceIds | undefined {
    return this.current();
  }

  /** The id of a record of what the code that asks now stands in. */
  recorded(_recordId: string): void {}
}

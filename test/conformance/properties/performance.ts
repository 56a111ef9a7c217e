import type {
  AuditEvent,
  OperationFinished,
  OperationRecord,
  OperationRequest,
  RunEvent,
  RunOutcome,
  TerminalEntry,
  ThreadMessage,
  ToolCallResult,
} from 'nest-gatehouse';
import type { Script } from './script.js';

/** A method that was really started. */
export interface Start {
  readonly operationId: string;
  readonly toolName: string;
  /** What the method received, with sorted keys. */
  readonly args: string;
  /** What it threw, the very object. */
  threw?: unknown;
}

/** What an inspector was asked, and what it answered. */
export interface Asked {
  readonly request: OperationRequest;
  /** The arguments as they stood, with sorted keys. */
  readonly args: string;
  readonly answered: string;
}

/** What happened, in the order it happened. */
export type Moment =
  | { readonly kind: 'start'; readonly start: Start }
  | { readonly kind: 'asked'; readonly asked: Asked }
  | { readonly kind: 'answered'; readonly answered: Answered }
  | { readonly kind: 'finished'; readonly fact: OperationFinished };

/** A person's answer about one approval. `args`: what was approved, secrets left out, with sorted keys. */
export interface Answered {
  readonly operationId: string;
  readonly answer: string;
  readonly args: string;
}

/** One run of a script and everything that could be seen of it, from inside and from outside. */
export class Performance {
  readonly moments: Moment[] = [];
  /** Every object that a tool or role threw. */
  readonly thrown = new Set<unknown>();
  readonly events: RunEvent[] = [];
  readonly outcomes: RunOutcome[] = [];
  requests: readonly (readonly ThreadMessage[])[] = [];
  results: readonly (readonly ToolCallResult[])[] = [];
  rows: readonly OperationRecord[] = [];
  terminals: readonly TerminalEntry[] = [];
  executions: readonly AuditEvent[] = [];
  /** Cancels the run from inside a tool. */
  cancel: () => void = () => undefined;

  constructor(
    readonly runId: string,
    readonly who: string,
    readonly script: Script,
  ) {}

  get starts(): readonly Start[] {
    return this.moments.flatMap((moment) => (moment.kind === 'start' ? moment.start : []));
  }

  get asked(): readonly Asked[] {
    return this.moments.flatMap((moment) => (moment.kind === 'asked' ? moment.asked : []));
  }

  get facts(): readonly OperationFinished[] {
    return this.moments.flatMap((moment) => (moment.kind === 'finished' ? moment.fact : []));
  }

  get outcome(): RunOutcome {
    const last = this.outcomes.at(-1);
    if (last === undefined) throw new Error('The run has not ended.');
    return last;
  }

  /** Keeps the very object, and throws it. */
  raise(error: Error, start?: Start): never {
    if (start !== undefined) start.threw = error;
    this.thrown.add(error);
    throw error;
  }
}

/** Signals that a method throws before any effect: its start was withdrawn, and is no execution. */
const WITHDRAWALS = ['SkipToolExecution', 'ApprovalRequired', 'CallDeferred'];

/** Whether a start counts as an execution. */
export const executed = ({ threw }: Start): boolean => !WITHDRAWALS.includes((threw as Error | undefined)?.name ?? '');

/** JSON with sorted keys, so that two texts are equal when the values are. */
export const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );

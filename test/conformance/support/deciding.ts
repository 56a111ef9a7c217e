import {
  Decide,
  type Awaitable,
  type OperationDecision,
  type OperationFinished,
  type OperationInspector,
  type OperationListener,
  type OperationRequest,
  type TerminalRecord,
} from 'nest-gatehouse';

/** What an inspector answers about one call; what a plain program could answer in spite of the types counts too. */
export type Answer = (request: OperationRequest) => unknown;

/** Answers by tool name, accepts everything else, and keeps what it was asked. */
export class DecidingInspector implements OperationInspector {
  readonly asked: OperationRequest[] = [];

  constructor(private readonly answers: Readonly<Record<string, Answer>> = {}) {}

  inspectOperation(request: OperationRequest): Awaitable<OperationDecision> {
    this.asked.push(request);
    const answer = this.answers[request.toolName] ?? Decide.accept;
    return answer(request) as Awaitable<OperationDecision>;
  }

  /** The tools it was asked about, in order. */
  tools(): readonly string[] {
    return this.asked.map(({ toolName }) => toolName);
  }
}

/** An inspector that rejects these tools. */
export const rejecting = (...names: readonly string[]): DecidingInspector =>
  new DecidingInspector(
    Object.fromEntries(names.map((name) => [name, () => Decide.reject(`No ${name}.`, `Do without ${name}.`)])),
  );

/** Keeps each fact it is told, the very objects. */
export class KeptFacts implements OperationListener {
  readonly operations: OperationFinished[] = [];
  readonly runs: TerminalRecord[] = [];

  operationFinished(finished: OperationFinished): void {
    this.operations.push(finished);
  }

  runFinished(record: TerminalRecord): void {
    this.runs.push(record);
  }

  statuses(): readonly string[] {
    return this.operations.map(({ request, status }) => `${request.toolName} ${status}`);
  }
}

/** The error a run ended with; fails where it did not. */
export const errorOf = (outcome: { readonly status: string }): Error => {
  if ('error' in outcome && outcome.error instanceof Error) return outcome.error;
  throw new Error(`Expected an error, but the run is ${outcome.status}.`);
};

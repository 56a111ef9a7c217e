import type { ToolCallResult } from '../contracts/operation.js';
import type { StoredOperation, StoredStep } from '../contracts/ports/stored.step.js';
import type { MessageCall, MessageResult, ThreadMessage } from '../contracts/thread.message.js';
import type { Operation } from '../operations/operation.js';

/** In the history given to a model, a call without an outcome says so. */
const NO_OUTCOME = 'The outcome of this call is unknown. It may have happened: do not repeat it without checking.';

/** One response under way: what was settled before a suspension, and the operations of this process. */
export class LiveStep {
  /** What the model must hear where no call of it can be answered. */
  feedback?: string;

  constructor(
    readonly runId: string,
    readonly step: number,
    readonly text: string,
    readonly messageId: string,
    public operations: readonly Operation[],
    private readonly settled: readonly StoredOperation[] = [],
  ) {}

  stored(): StoredStep {
    const { runId, step, text, messageId } = this;
    return { runId, step, text, messageId, operations: this.all() };
  }

  /** Something of it asked a person, or was handed on, and nothing that asked was claimed: whoever finds the run lets it wait. */
  get canWait(): boolean {
    const waits = ({ approvalId, deferral }: Operation) => deferral !== undefined || approvalId !== undefined;
    const claimed = ({ claiming, deferral }: Operation) => claiming && deferral === undefined;
    return this.operations.some(waits) && !this.operations.some(claimed);
  }

  toolCallOf(operationId: string): string | undefined {
    const operation = this.operations.find(({ id }) => id === operationId);
    return operation?.inText === false ? operation.toolCallId : undefined;
  }

  /** One for every call, in emission order: a redirected call is answered by what took its place. */
  results(): readonly ToolCallResult[] {
    return this.positions().map(({ last }) => {
      const live = this.operations.find((operation) => operation.id === last.operationId)?.result;
      const { toolCallId, toolName, operationId, result } = last;
      const { status, outcome, content } = result ?? { status: 'interrupted', outcome: 'skipped', content: NO_OUTCOME };
      return live ?? { toolCallId, toolName, operationId, status, outcome, content };
    });
  }

  /**
   * The part of the thread this response becomes; an answer without calls has no tool message. Their ids are those of the response, so that whoever
   * ends a run whose process is gone writes none of them a second time.
   */
  messages(): readonly ThreadMessage[] {
    const positions = this.positions();
    const calls = positions.map(callOf);
    const assistant: ThreadMessage = { id: this.messageId, role: 'assistant', text: this.text, calls };
    const tool: ThreadMessage = { id: `${this.messageId}-results`, role: 'tool', results: positions.map(answerOf) };
    const feedback = this.feedback ?? this.refusedText();
    return [
      assistant,
      ...(positions.length === 0 ? [] : [tool]),
      ...(feedback === undefined ? [] : [{ id: `${this.messageId}-feedback`, role: 'user' as const, text: feedback }]),
    ];
  }

  /** What came of an output in the text, unless it won. */
  private refusedText(): string | undefined {
    const result = this.all().find(({ inText }) => inText === true)?.result;
    return result?.outcome === 'success' ? undefined : result?.content;
  }

  private all(): readonly StoredOperation[] {
    const all = [...this.settled, ...this.operations.map((operation) => operation.stored())];
    return all.sort((one, other) => one.position - other.position);
  }

  private positions(): readonly Position[] {
    const positions = new Map<number, Position>();
    for (const operation of this.all().filter(({ inText }) => inText !== true)) {
      const first = positions.get(operation.position)?.first ?? operation;
      positions.set(operation.position, { first, last: operation });
    }
    return [...positions.values()];
  }
}

interface Position {
  readonly first: StoredOperation;
  readonly last: StoredOperation;
}

const callOf = ({ first }: Position): MessageCall => ({
  toolCallId: first.toolCallId,
  toolName: first.toolName,
  argsText: first.received,
});

const answerOf = ({ first, last }: Position): MessageResult => ({
  toolCallId: first.toolCallId,
  toolName: first.toolName,
  outcome: last.result?.outcome ?? 'skipped',
  content: last.result?.content ?? NO_OUTCOME,
});

import type { SseFrame } from 'nest-gatehouse/testing';

interface Interrupt {
  readonly id: string;
  readonly message: string;
}

/** One AG-UI event, as far as these tests read it. */
export interface WireEvent {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolCallName?: string;
  readonly delta?: string;
  readonly content?: string;
  readonly message?: string;
  readonly outcome?: { readonly type: string; readonly interrupts?: readonly Interrupt[] };
}

/** What a stream told. */
export class Told {
  readonly events: readonly WireEvent[];

  constructor(
    readonly runId: string,
    private readonly frames: readonly SseFrame[],
  ) {
    this.events = frames.flatMap(({ data }) => (data === undefined ? [] : [JSON.parse(data) as WireEvent]));
  }

  /** Everything that came over the wire. */
  get wire(): string {
    return JSON.stringify(this.frames);
  }

  get last(): WireEvent | undefined {
    return this.events.at(-1);
  }

  /** The calls, in order: name and arguments. */
  get calls(): readonly (readonly [string, unknown])[] {
    const starts = this.events.filter(({ type }) => type === 'TOOL_CALL_START');
    return starts.map(({ toolCallId, toolCallName }) => [toolCallName ?? '', JSON.parse(this.argumentsOf(toolCallId))]);
  }

  /** What came of each call, in order. */
  get results(): readonly string[] {
    return this.events.filter(({ type }) => type === 'TOOL_CALL_RESULT').map(({ content }) => content ?? '');
  }

  /** The model's words. */
  get text(): string {
    return this.events.map(({ type, delta }) => (type === 'TEXT_MESSAGE_CONTENT' ? (delta ?? '') : '')).join('');
  }

  /** What waits for a person. */
  get interrupts(): readonly Interrupt[] {
    return this.last?.outcome?.interrupts ?? [];
  }

  /** The approval that the run waits for; there must be one. */
  get approvalId(): string {
    const [waiting] = this.interrupts;
    if (waiting === undefined) throw new Error(`Nothing waits for a person: ${JSON.stringify(this.last)}`);
    return waiting.id;
  }

  private argumentsOf(toolCallId: string | undefined): string {
    const deltas = this.events.filter((event) => event.type === 'TOOL_CALL_ARGS' && event.toolCallId === toolCallId);
    return deltas.map(({ delta }) => delta ?? '').join('');
  }
}

/** One AG-UI event, as far as readers look into it. */
export interface WireEvent {
  readonly type: string;
  readonly runId?: string;
  readonly code?: string;
  readonly outcome?: { readonly type: string; readonly interrupts?: readonly object[] };
  readonly metadata?: { readonly gatehouse?: { readonly runId?: string } };
}

/** What the clients of one run know of it: its id, its segments by the names on the wire, and the ids that somebody has had. */
export class KnownRun {
  readonly segments: { readonly name: string; readonly firstSeq: number }[] = [];
  lastSeq = 0;
  private id = '';
  private over = false;
  private waiting: (() => void)[] = [];

  get runId(): string {
    return this.id;
  }

  named(runId: string): void {
    this.id = runId;
    this.tell();
  }

  note(seq: number, { type, runId = '', metadata }: WireEvent): void {
    this.lastSeq = Math.max(this.lastSeq, seq);
    if (type !== 'RUN_STARTED' || this.segments.some(({ name }) => name === runId)) return;
    this.segments.push({ name: runId, firstSeq: seq });
    this.segments.sort((one, other) => one.firstSeq - other.firstSeq);
    this.named(metadata?.gatehouse?.runId ?? '');
  }

  /** Its main client has heard the end. */
  ended(): void {
    this.over = true;
    this.tell();
  }

  /** The segment that an event belongs to, as far as anybody knows. */
  segmentAt(seq: number): string | undefined {
    return this.segments.findLast(({ firstSeq }) => firstSeq <= seq)?.name;
  }

  /** Until there are so many segments, or the run is over. */
  async reached(segments: number): Promise<void> {
    while (!this.over && (this.id === '' || this.segments.length < segments))
      await new Promise<void>((resolve) => void this.waiting.push(resolve));
  }

  /** Until its id is known. */
  async started(): Promise<void> {
    while (!this.over && this.id === '') await new Promise<void>((resolve) => void this.waiting.push(resolve));
  }

  private tell(): void {
    const waiting = this.waiting;
    this.waiting = [];
    for (const wake of waiting) wake();
  }
}

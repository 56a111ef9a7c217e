import type { HookCall, HookDecision, ToolHook } from 'nest-gatehouse';

/** What a promise rejects with; a resolved one is a failure of the test. */
export const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    (value) => {
      throw new Error(`Nothing was thrown; it came to ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );

type Phase = 'before' | 'after' | 'error';
type Decides = {
  readonly [P in Phase]?: (call: HookCall & { result?: unknown; error?: unknown }) => HookDecision | void;
};

/** Keeps every call it sees, and answers as it was told. */
export class RecordingHook implements ToolHook {
  readonly phases: Phase[] = [];
  readonly calls: (HookCall & { result?: unknown; durationMs?: number; error?: unknown })[] = [];

  constructor(private readonly decides: Decides = {}) {}

  beforeTool(call: HookCall) {
    return this.seen('before', call);
  }

  afterTool(call: HookCall & { readonly result: unknown; readonly durationMs: number }) {
    return this.seen('after', call);
  }

  onError(call: HookCall & { readonly error: unknown }) {
    return this.seen('error', call);
  }

  private seen(phase: Phase, call: HookCall): HookDecision | void {
    this.phases.push(phase);
    this.calls.push(call);
    return this.decides[phase]?.(call);
  }
}

/** Answers one after another; the last answer stays. */
export const inTurn = <T>(...answers: readonly (() => T)[]): (() => T) => {
  let at = 0;
  return () => {
    const answer = answers[Math.min(at, answers.length - 1)];
    at += 1;
    if (answer === undefined) throw new Error('There is no answer.');
    return answer();
  };
};

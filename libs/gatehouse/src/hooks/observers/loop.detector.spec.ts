import type { ToolCall } from '../../contracts/tool.call.js';
import { LoopDetector } from './loop.detector.js';

const before = (detector: LoopDetector, args: unknown, call?: Partial<ToolCall>) => {
  detector.observe({
    phase: 'before',
    call: { toolName: 'lookup', args, state: {}, call: call as ToolCall | undefined },
  });
  return detector.take(call?.runId)?.details['count'];
};

describe('LoopDetector', () => {
  it('compares arguments by value, whatever the order of their members', () => {
    const detector = new LoopDetector({ repeats: 1 });
    expect(before(detector, { a: 1, b: [2] })).toBeUndefined();
    expect(before(detector, { b: [2], a: 1 })).toBe(2);
  });

  it('compares what has no JSON too: a cycle, nothing, a bigint', () => {
    const cycle = (n: number) => {
      const ring: Record<string, unknown> = { n };
      ring['self'] = ring;
      return ring;
    };
    for (const [one, same, other] of [
      [cycle(1), cycle(1), cycle(2)],
      [undefined, undefined, {}],
      [{ n: 1n }, { n: 1n }, { n: 2n }],
    ]) {
      const detector = new LoopDetector({ repeats: 1 });
      expect([before(detector, one), before(detector, other), before(detector, same)]).toEqual([
        undefined,
        undefined,
        2,
      ]);
    }
  });

  it('counts an operation once, and runs apart', () => {
    const detector = new LoopDetector({ repeats: 1 });
    const counts = [
      before(detector, {}, { runId: 'r1', operationId: 'o1' }),
      before(detector, {}, { runId: 'r1', operationId: 'o1' }),
      before(detector, {}, { runId: 'r2', operationId: 'o2' }),
      before(detector, {}, { runId: 'r1', operationId: 'o3' }),
    ];
    expect(counts).toEqual([undefined, undefined, undefined, 2]);
  });

  it('results and errors are no calls', () => {
    const detector = new LoopDetector({ repeats: 1 });
    const call = { toolName: 'lookup', args: {}, state: {} };
    for (const phase of ['before', 'after', 'error'] as const) detector.observe({ phase, call });
    expect(detector.peek()).toBeUndefined();
  });

  it('a detection is frozen, and says nothing of the arguments', () => {
    const detector = new LoopDetector({ repeats: 1 });
    const call = { toolName: 'lookup', args: { secret: 'hunter2' }, state: {} };
    detector.observe({ phase: 'before', call });
    detector.observe({ phase: 'before', call });
    const found = detector.take();
    expect([Object.isFrozen(found), Object.isFrozen(found?.details)]).toEqual([true, true]);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});

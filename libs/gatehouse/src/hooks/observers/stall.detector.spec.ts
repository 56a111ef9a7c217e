import { Clock } from '../../contracts/clock.js';
import type { HookCall } from '../../contracts/roles.js';
import type { ToolCall } from '../../contracts/tool.call.js';
import { StallDetector } from './stall.detector.js';
import type { WatchedCall } from './detection.js';

class Hand extends Clock {
  tick = 0;
  override now(): Date {
    return new Date(this.tick);
  }
  override monotonic(): number {
    return this.tick;
  }
}

const start = () => {
  const clock = new Hand();
  const detector = new StallDetector({ after: 100, clock });
  const tell = (phase: WatchedCall['phase'], toolName: string, call?: Partial<ToolCall>) => {
    const told: HookCall = { toolName, args: {}, state: {}, call: call as ToolCall | undefined };
    detector.observe({ phase, call: told });
  };
  return { clock, detector, tell };
};

describe('StallDetector', () => {
  it('a call is a stall once it has stood open for longer than is allowed, not before', () => {
    const { clock, detector, tell } = start();
    tell('before', 'slow');
    clock.tick = 100;
    expect(detector.take()).toBeUndefined();
    clock.tick = 101;
    expect(detector.take()?.details).toEqual({ elapsedMs: 101, afterMs: 100 });
    expect(detector.take()).toBeUndefined();
  });

  it('a stall that was taken while it lasted is not told again at its end', () => {
    const { clock, detector, tell } = start();
    tell('before', 'slow');
    clock.tick = 101;
    detector.take();
    tell('after', 'slow');
    expect(detector.peek()).toBeUndefined();
  });

  it('an error ends a call as a result does, and a quick call is none', () => {
    const { clock, detector, tell } = start();
    tell('before', 'slow');
    clock.tick = 101;
    tell('error', 'slow');
    expect(detector.take()?.toolName).toBe('slow');
    tell('before', 'quick');
    clock.tick = 150;
    tell('after', 'quick');
    clock.tick = 1000;
    expect(detector.take()).toBeUndefined();
  });

  it('outside of runs several calls may stand open, each told once', () => {
    const { clock, detector, tell } = start();
    tell('before', 'one');
    clock.tick = 50;
    tell('before', 'two');
    clock.tick = 140;
    expect(detector.take()?.toolName).toBe('one');
    clock.tick = 160;
    expect(detector.take()?.toolName).toBe('two');
    expect(detector.take()).toBeUndefined();
  });

  it('in a run the next call ends the wait for one that never started; other runs stand apart', () => {
    const { clock, detector, tell } = start();
    tell('before', 'refused', { runId: 'r1', operationId: 'o1' });
    tell('before', 'slow', { runId: 'r2', operationId: 'o2' });
    clock.tick = 101;
    tell('before', 'next', { runId: 'r1', operationId: 'o3' });
    expect([detector.take('r1'), detector.take('r2')?.toolName, detector.take()]).toEqual([
      undefined,
      'slow',
      undefined,
    ]);
  });

  it('what is no duration is refused where it is written', () => {
    expect(() => new StallDetector({ after: 'soon' })).toThrow(TypeError);
  });
});

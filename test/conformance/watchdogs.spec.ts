import {
  ConfigurationError,
  Decide,
  HookAbortError,
  HookRunner,
  LoopDetector,
  StallDetector,
  WatchdogHook,
  type Detection,
  type Detector,
  type WatchdogPolicy,
} from 'nest-gatehouse';
import { captureLog } from 'nest-gatehouse/testing';
import { HandClock } from './support/hand.clock.js';
import { thrownBy } from './support/hook.fixtures.js';

const log = captureLog();
beforeEach(() => void (log.lines.length = 0));
afterAll(() => log.release());

const STALE: Detection = { detector: 'stale', toolName: 'lookup', summary: 'Nothing new.', details: {} };

/** Finds what it was given, once each. */
const finding = (...found: Detection[]): Detector => ({
  name: 'stale',
  observe: () => undefined,
  peek: () => found[0],
  take: () => found.shift(),
});
const crashing = (): Detector => ({
  ...finding(),
  take: () => {
    throw new Error('oops');
  },
});
const watched = (detectors: Detector[], policy?: WatchdogPolicy) =>
  new HookRunner([new WatchdogHook({ detectors, policy })]);
const call = (runner: HookRunner, args: unknown = { n: 1 }, tool = 'lookup') => runner.runBefore(tool, args, {});
const CONTINUE = Decide.continue();

describe('WatchdogHook', () => {
  it('[323] without a detection it is Continue, and the policy is not asked', async () => {
    const asked: Detection[] = [];
    const runner = watched([finding(), finding()], (detection) => {
      asked.push(detection);
      return { kind: 'abort', reason: 'x' };
    });
    expect(await call(runner)).toBe(CONTINUE);
    expect(asked).toEqual([]);
  });

  it('[323] a list of detectors that is changed later does not change the hook', async () => {
    const detectors = [finding()];
    const runner = watched(detectors);
    detectors.push(finding(STALE));
    expect(await call(runner)).toBe(CONTINUE);
  });

  it('[323] abort ends the flow with its reason; it is what happens by default', async () => {
    const chosen = watched([finding(STALE)], () => ({ kind: 'abort', reason: 'no progress' }));
    expect(await thrownBy(call(chosen))).toEqual(new HookAbortError('no progress', 'WatchdogHook'));
    expect(await thrownBy(call(watched([finding(STALE)])))).toEqual(
      new HookAbortError('stale: Nothing new.', 'WatchdogHook'),
    );
  });

  it('[323] escalate is a skip whose stub has the question', async () => {
    const runner = watched([finding(STALE)], ({ toolName }) => ({
      kind: 'escalate',
      question: `Go on with ${toolName}?`,
    }));
    expect(await call(runner)).toEqual(
      Decide.skip('A watchdog asks the user.', { escalated: 'stale', question: 'Go on with lookup?' }),
    );
    expect(await call(runner)).toBe(CONTINUE);
  });

  it('[323] continue lets the call run, and the next detector has its say; what is behind a decision waits', async () => {
    const other: Detection = { ...STALE, detector: 'other' };
    const third: Detection = { ...STALE, detector: 'third' };
    const asked: string[] = [];
    const runner = watched([finding(STALE), finding(other), finding(third)], ({ detector }) => {
      asked.push(detector);
      return detector === 'other' ? { kind: 'escalate', question: '?' } : { kind: 'continue' };
    });
    expect((await call(runner)).kind).toBe('skip');
    expect(asked).toEqual(['stale', 'other']);
    expect(await call(runner)).toBe(CONTINUE);
    expect(asked).toEqual(['stale', 'other', 'third']);
  });

  it('[324] a detector that crashes is Continue with a WARN, and hides no other', async () => {
    expect(await call(watched([crashing(), finding()]))).toBe(CONTINUE);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn Hook WatchdogHook.beforeTool failed: Error: oops (tool 'lookup'). Read as Continue.",
    ]);
    expect(await thrownBy(call(watched([crashing(), finding(STALE)])))).toBeInstanceOf(HookAbortError);
  });

  it('[324] a policy that crashes is Continue with a WARN', async () => {
    const runner = watched([finding(STALE)], () => Promise.reject(new Error('no policy')));
    expect(await call(runner)).toBe(CONTINUE);
    expect(log.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      "warn Hook WatchdogHook.beforeTool failed: Error: no policy (tool 'lookup'). Read as Continue.",
    ]);
  });
});

describe('LoopDetector', () => {
  /** The counts of what was detected, call by call; null where nothing was. */
  const countsOf = async (detector: LoopDetector, calls: readonly (readonly [string, unknown])[]) => {
    const counts: unknown[] = [];
    const runner = watched([detector], ({ details }) => {
      counts[counts.length - 1] = details['count'];
      return { kind: 'continue' };
    });
    for (const [tool, args] of calls) {
      counts.push(null);
      await call(runner, args, tool);
    }
    return counts;
  };
  const A = ['lookup', { n: 1, text: 'a' }] as const;
  const B = ['lookup', { n: 2, text: 'a' }] as const;

  it('[325] the same call more than k times is one detection, with the count', async () => {
    const same = ['lookup', { text: 'a', n: 1 }] as const;
    expect(await countsOf(new LoopDetector({ repeats: 3 }), [A, same, A, same, A, A])).toEqual([
      null,
      null,
      null,
      4,
      null,
      null,
    ]);
  });

  it('[325] it is silent about that loop until another pair appears', async () => {
    expect(await countsOf(new LoopDetector({ repeats: 2 }), [A, A, A, A, B, A])).toEqual([
      null,
      null,
      3,
      null,
      null,
      5,
    ]);
  });

  it('[325] another tool with the same arguments is another pair', async () => {
    const other = ['search', A[1]] as const;
    expect(await countsOf(new LoopDetector({ repeats: 2 }), [A, other, A, other])).toEqual([null, null, null, null]);
  });

  it('[325] the window slides: what is older is forgotten', async () => {
    const detector = new LoopDetector({ repeats: 2, window: 3 });
    expect(await countsOf(detector, [A, A, B, A, A, A])).toEqual([null, null, null, null, null, 3]);
  });

  it('[325] a window in which no loop could be seen is a configuration error', () => {
    for (const options of [{ repeats: 3, window: 3 }, { repeats: 0 }, { repeats: 1.5 }, { window: Number.NaN }]) {
      expect(() => new LoopDetector(options)).toThrow(ConfigurationError);
    }
  });

  it('[326] two calls that differ only after character 120 of an argument are two pairs', async () => {
    const long = (end: string) => ['lookup', { text: `${'x'.repeat(200_000)}${end}` }] as const;
    expect(await countsOf(new LoopDetector({ repeats: 1 }), [long('a'), long('b'), long('a')])).toEqual([
      null,
      null,
      2,
    ]);
  });
});

describe('a detector that a poll and a hook share', () => {
  const stalled = () => {
    const clock = new HandClock();
    const detector = new StallDetector({ after: '30s', clock });
    const reached: Detection[] = [];
    const policy: WatchdogPolicy = (detection) => {
      reached.push(detection);
      return { kind: 'continue' };
    };
    return { clock, detector, reached, policy, runner: watched([detector], policy) };
  };

  it('[327] the poll sees a stall while it lasts, and the hook still gets it, exactly once', async () => {
    const { clock, detector, reached, runner } = stalled();
    await call(runner, {}, 'slow');
    clock.advance(30_000);
    expect(detector.peek()).toBeUndefined();
    clock.advance(1);
    const found = {
      detector: 'stall',
      toolName: 'slow',
      summary: "Tool 'slow' had come to nothing after 30001 ms; 30000 ms are allowed.",
      details: { elapsedMs: 30_001, afterMs: 30_000 },
    };
    expect([detector.peek(), detector.peek()]).toEqual([found, found]);
    await call(runner, {}, 'next');
    expect(reached).toEqual([found]);
    expect(detector.peek()).toBeUndefined();
    await call(runner, {}, 'third');
    expect(reached).toHaveLength(1);
  });

  it('[327] a stall that is over reaches the hook at the next call, polled or not', async () => {
    const { clock, detector, reached, runner } = stalled();
    await call(runner, {}, 'slow');
    clock.advance(45_000);
    await runner.runAfter('slow', {}, 'done', {}, 45_000);
    clock.advance(10_000);
    expect(detector.peek()?.details).toEqual({ elapsedMs: 45_000, afterMs: 30_000 });
    expect(reached).toEqual([]);
    await call(runner, {}, 'next');
    expect(reached.map(({ toolName }) => toolName)).toEqual(['slow']);
    await runner.runError('next', {}, new Error('x'), {});
    await call(runner, {}, 'third');
    expect(reached).toHaveLength(1);
  });

  it('[327] of two hooks that share it one gets it', async () => {
    const { clock, detector, reached, policy } = stalled();
    const runner = new HookRunner([
      new WatchdogHook({ detectors: [detector], policy }),
      new WatchdogHook({ detectors: [detector], policy }),
    ]);
    await call(runner, {}, 'slow');
    clock.advance(30_001);
    await call(runner, {}, 'next');
    expect(reached.map(({ toolName }) => toolName)).toEqual(['slow']);
  });

  it('[327] so with a loop: looking at it takes nothing from the hook', () => {
    const detector = new LoopDetector({ repeats: 1 });
    for (const n of [1, 2]) detector.observe({ phase: 'before', call: { toolName: 'lookup', args: {}, state: { n } } });
    expect(detector.peek()).toBe(detector.peek());
    expect(detector.take()).toMatchObject({ detector: 'loop', details: { count: 2, calls: 2 } });
    expect([detector.peek(), detector.take()]).toEqual([undefined, undefined]);
  });
});

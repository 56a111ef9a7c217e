import { Decide } from '../../contracts/decisions/decide.js';
import type { HookDecision } from '../../contracts/decisions/decisions.js';
import type { HookCall, ToolHook } from '../../contracts/roles.js';
import { Hook } from '../hook.decorator.js';
import type { Detector, WatchedCall } from './detection.js';
import { abortOnDetection, type WatchdogAction, type WatchdogPolicy } from './watchdog.policy.js';

/** Options of `WatchdogHook`. */
export interface WatchdogOptions {
  /** Asked in this order. */
  readonly detectors: readonly Detector[];
  /** Default: a detection ends the run. */
  readonly policy?: WatchdogPolicy;
}

/**
 * Decides, before each call, about what its detectors have found. The first action that is not "continue" counts; what other detectors have
 * found waits for the next call. A detector or policy that throws is passed over, and read as any hook's throw at the end.
 *
 * @example
 * ```ts
 * { provide: WatchdogHook, useFactory: () => new WatchdogHook({ detectors: [new LoopDetector({ repeats: 3 })] }) }
 * ```
 */
@Hook()
export class WatchdogHook implements ToolHook {
  private readonly detectors: readonly Detector[];
  private readonly policy: WatchdogPolicy;

  constructor({ detectors, policy = abortOnDetection }: WatchdogOptions) {
    this.detectors = [...detectors];
    this.policy = policy;
  }

  async beforeTool(call: HookCall): Promise<HookDecision> {
    const crashes = this.tell({ phase: 'before', call });
    for (const detector of this.detectors) {
      try {
        const detection = detector.take(call.call?.runId);
        const action = detection && (await this.policy(detection, call));
        if (action !== undefined && action.kind !== 'continue') return decisionFor(action, detector.name);
      } catch (error) {
        crashes.push(error);
      }
    }
    rethrowFirst(crashes);
    return Decide.continue();
  }

  afterTool(call: HookCall): void {
    rethrowFirst(this.tell({ phase: 'after', call }));
  }

  onError(call: HookCall): void {
    rethrowFirst(this.tell({ phase: 'error', call }));
  }

  /** Every detector is told, also behind one that throws. */
  private tell(watched: WatchedCall): unknown[] {
    const crashes: unknown[] = [];
    for (const detector of this.detectors) {
      try {
        detector.observe(watched);
      } catch (error) {
        crashes.push(error);
      }
    }
    return crashes;
  }
}

const decisionFor = (action: Exclude<WatchdogAction, { kind: 'continue' }>, detector: string): HookDecision =>
  action.kind === 'abort'
    ? Decide.abort(action.reason)
    : Decide.skip('A watchdog asks the user.', { escalated: detector, question: action.question });

/** What becomes of a crash is the hook runner's to say: a warning, or with `failClosed` the run's end. */
const rethrowFirst = (crashes: readonly unknown[]): void => {
  if (crashes.length > 0) throw crashes[0];
};

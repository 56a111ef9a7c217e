import type { JsonObject } from '../../contracts/json.js';
import type { HookCall } from '../../contracts/roles.js';

/** What a detector has found. Says what happened, not what to do about it: that is the policy's. Frozen. */
export interface Detection {
  /** The detector's `name`. */
  readonly detector: string;
  readonly toolName: string;
  /** One sentence; without arguments. */
  readonly summary: string;
  /** The figures behind it, such as `count` or `elapsedMs`. */
  readonly details: JsonObject;
}

/** One moment of one call, as a detector is told it. */
export interface WatchedCall {
  readonly phase: 'before' | 'after' | 'error';
  readonly call: HookCall;
}

/**
 * Watches the calls of runs, each run for itself (`runId`; left out: calls outside any run). Looking is not taking: however many look, a
 * detection is taken once.
 */
export interface Detector {
  readonly name: string;
  observe(watched: WatchedCall): void;
  /** What stands detected and untaken, for a poll or a dashboard; changes nothing. */
  peek(runId?: string): Detection | undefined;
  /** The same, and takes it. */
  take(runId?: string): Detection | undefined;
}

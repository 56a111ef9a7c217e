import { ConfigurationError } from '../../contracts/errors/configuration.error.js';
import type { JsonValue } from '../../contracts/json.js';
import type { HookCall } from '../../contracts/roles.js';
import { fingerprint, sha256Hex } from '../../values/digest.js';
import { sanitize } from '../../values/sanitizer.js';
import type { Detection, Detector, WatchedCall } from './detection.js';
import { RunMemory } from './run.memory.js';

/** Options of `LoopDetector`. */
export interface LoopDetectorOptions {
  /** The same call this many times is no loop yet. Default 3. */
  readonly repeats?: number;
  /** How many of the last calls count; more than `repeats`. Default 10. */
  readonly window?: number;
}

interface Seen {
  readonly pair: string;
  readonly operationId?: string;
}

interface Track {
  window: Seen[];
  silenced?: string;
  found?: Detection;
}

/**
 * The same tool with the same arguments, more than `repeats` times among the last `window` calls of a run. Arguments are compared whole. Once
 * told, a loop is not told again until another call comes between.
 */
export class LoopDetector implements Detector {
  readonly name = 'loop';
  private readonly repeats: number;
  private readonly window: number;
  private readonly memory = new RunMemory<Track>(() => ({ window: [] }));

  /** Throws `ConfigurationError` for a window in which a loop could never be seen. */
  constructor({ repeats = 3, window = 10 }: LoopDetectorOptions = {}) {
    if (!Number.isInteger(repeats) || repeats < 1 || !Number.isInteger(window) || window <= repeats) {
      throw new ConfigurationError(
        `LoopDetector: repeats is ${repeats} and window is ${window}; write whole numbers, 1 or more, and a window larger than repeats.`,
      );
    }
    this.repeats = repeats;
    this.window = window;
  }

  observe({ phase, call }: WatchedCall): void {
    if (phase !== 'before') return;
    const track = this.memory.of(call.call?.runId);
    const operationId = call.call?.operationId;
    // An approved call comes by a second time when its run resumes; it is still one call.
    if (operationId !== undefined && track.window.some((seen) => seen.operationId === operationId)) return;
    const pair = pairOf(call);
    track.window = [...track.window, { pair, operationId }].slice(-this.window);
    if (track.silenced !== pair) track.silenced = undefined;
    const count = track.window.filter((seen) => seen.pair === pair).length;
    if (count <= this.repeats || track.silenced === pair) return;
    track.silenced = pair;
    track.found = detection(call.toolName, count, track.window.length);
  }

  peek(runId?: string): Detection | undefined {
    return this.memory.seen(runId)?.found;
  }

  take(runId?: string): Detection | undefined {
    const track = this.memory.seen(runId);
    const found = track?.found;
    if (track !== undefined) track.found = undefined;
    return found;
  }
}

const detection = (toolName: string, count: number, calls: number): Detection =>
  Object.freeze({
    detector: 'loop',
    toolName,
    summary: `Tool '${toolName}' was called ${count} times with the same arguments in the last ${calls} calls.`,
    details: Object.freeze({ count, calls }),
  });

const pairOf = ({ toolName, args }: HookCall): string => `${toolName} ${hashOf(args)}`;

/** Outside a run arguments may be anything; what has no JSON is compared as it would be shown. */
const hashOf = (args: unknown): string => {
  try {
    return fingerprint((args ?? null) as JsonValue);
  } catch {
    return sha256Hex(JSON.stringify(sanitize(args)));
  }
};

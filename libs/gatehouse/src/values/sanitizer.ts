import type { JsonValue } from '../contracts/json.js';
import { cut } from './cut.js';
import { ByteBudget } from './sanitizing/byte-budget.js';
import { OPEN_SCREEN, type Screen } from './sanitizing/screen.js';
import { Walk } from './sanitizing/walk.js';
import { visibleText } from './visible-text.js';

/** How much of a value is kept. */
export interface SanitizeCaps {
  /** Levels of objects and arrays. Default and most: 64. */
  readonly maxDepth?: number;
  /**
   * UTF-8 bytes of the JSON text. Default 512 KiB, so valid arguments are kept whole. What is cut says so in a marker;
   * the markers, one for each level that was cut, come on top.
   */
  readonly maxBytes?: number;
}

const MAX_DEPTH = 64;
const MAX_BYTES = 512 * 1024;
const MAX_TEXT = 64 * 1024;

/**
 * Any value as JSON that every store and stream takes. Total: never throws, ends on any input, and the work is bounded
 * by `maxBytes`. Kept where JSON can: structure, order, exact bigints (as digits), dates (ISO). The rest is marked
 * where it stood: `[circular]`, `[NaN]`, `[function]`, `[symbol]`, `[binary: 16 bytes]`, `[unreadable]` for what
 * throws, `[truncated: …]` for what is over a cap. NUL shows as `\u0000`, a lone surrogate as U+FFFD, the key
 * `__proto__` as `[__proto__]`. Errors keep name and message; sets are arrays, maps objects; `undefined` is dropped from
 * objects and null elsewhere.
 */
export function sanitize(value: unknown, caps: SanitizeCaps = {}): JsonValue {
  return screened(value, OPEN_SCREEN, caps);
}

/** `sanitize`, showing only what the screen lets through. */
export function screened(value: unknown, screen: Screen, caps: SanitizeCaps = {}): JsonValue {
  const budget = new ByteBudget(atLeast(0, caps.maxBytes, MAX_BYTES));
  const depth = Math.min(atLeast(1, caps.maxDepth, MAX_DEPTH), MAX_DEPTH);
  return new Walk(screen, budget, depth).show(value) ?? null;
}

/** A free text as every store takes it: NUL and lone surrogates made visible, cut at 65536 characters with a marker. */
export function sanitizeText(text: string): string {
  return cut(visibleText(cut(text, MAX_TEXT)), MAX_TEXT);
}

// A cap that is no number must not lift the cap.
function atLeast(least: number, cap: number | undefined, otherwise: number): number {
  return cap === undefined || Number.isNaN(cap) ? otherwise : Math.max(least, cap);
}

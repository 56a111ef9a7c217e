import type { JsonPrimitive } from '../../contracts/json.js';
import { visibleText } from '../visible-text.js';
import type { ByteBudget } from './byte-budget.js';
import { fitJsonBytes, jsonBytes } from './json-bytes.js';
import type { Screen } from './screen.js';
import { bigintText, numberOrMarker } from './special-value.js';

// Room behind the cut in which a pattern may still find the rest of what it starts to match before the cut.
const BEYOND_THE_CUT = 64 * 1024;
// Two quotes, a colon, a comma.
const NAME_PUNCTUATION = 4;

/** Writes what has no members, paying from the budget. */
export class LeafWriter {
  constructor(
    private readonly screen: Screen,
    private readonly budget: ByteBudget,
  ) {}

  /** Undefined for undefined only; costs something even so, for someone had to look. */
  primitive(value: unknown): JsonPrimitive | undefined {
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
        return this.number(value);
      case 'bigint':
        return this.text(bigintText(value));
      case 'boolean':
        return this.paid(value);
      case 'undefined':
        this.budget.take(1);
        return undefined;
      default:
        return value === null ? this.nothing() : this.marker(`[${typeof value}]`);
    }
  }

  nothing(): null {
    return this.paid(null);
  }

  marker(marker: string): string {
    return this.paid(marker);
  }

  /** The name under which a member is shown; undefined where there is no room left for it. */
  name(key: string): string | undefined {
    if (this.budget.spent || key.length > this.budget.left) return undefined;
    const name = visibleText(this.screen.text(key));
    const bytes = jsonBytes(name) + NAME_PUNCTUATION;
    if (bytes > this.budget.left) return undefined;
    this.budget.take(bytes);
    return name;
  }

  private text(text: string): string {
    const { left } = this.budget;
    const start = text.slice(0, left + BEYOND_THE_CUT);
    const shown = visibleText(this.screen.text(start));
    const kept = fitJsonBytes(shown, left);
    // What a pattern has shortened is paid in full: reading it was the work.
    this.budget.take(Math.max(jsonBytes(kept) + 2, start.length));
    const whole = kept.length === shown.length && start.length === text.length;
    return whole ? kept : `${kept}[truncated: ${text.length} characters]`;
  }

  private number(value: number): JsonPrimitive {
    const shown = numberOrMarker(value);
    // A card number may well be a number, so patterns see its digits.
    const text = String(shown);
    return this.screen.text(text) === text ? this.paid(shown) : this.text(text);
  }

  private paid<T extends JsonPrimitive>(value: T): T {
    this.budget.take(typeof value === 'string' ? jsonBytes(value) + 2 : String(value).length);
    return value;
  }
}

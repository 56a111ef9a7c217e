import type { JsonObject, JsonValue } from '../../contracts/json.js';

/** Builds an object whose names are safe to hand on: none is lost, and none is `__proto__`. */
export class MemberList {
  private readonly members: Record<string, JsonValue> = {};
  private readonly repeats = new Map<string, number>();

  /** Names that have become equal, through escapes or redaction, get `#2`, `#3` … */
  add(name: string, value: JsonValue): void {
    // Renamed rather than defined: what reads the record later may well copy it by assignment.
    const safe = name === '__proto__' ? '[__proto__]' : name;
    this.members[this.free(safe)] = value;
  }

  done(): JsonObject {
    return this.members;
  }

  private free(name: string): string {
    let candidate = name;
    while (Object.hasOwn(this.members, candidate)) {
      const count = (this.repeats.get(name) ?? 1) + 1;
      this.repeats.set(name, count);
      candidate = `${name}#${count}`;
    }
    return candidate;
  }
}

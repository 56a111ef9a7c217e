import { types } from 'node:util';

import type { JsonObject, JsonValue } from '../../contracts/json.js';
import type { ByteBudget } from './byte-budget.js';
import { LeafWriter } from './leaf.writer.js';
import { MemberList } from './member.list.js';
import { HIDDEN, type Screen } from './screen.js';
import { specialValue } from './special-value.js';

const CUT_NAME = '[truncated]';

/** One pass over one hostile value: reads everything at most once, shows only what the screen lets through. */
export class Walk {
  private readonly leaf: LeafWriter;
  private readonly open = new Set<object>();
  private readonly path: (string | number)[] = [];

  constructor(
    private readonly screen: Screen,
    private readonly budget: ByteBudget,
    private readonly maxDepth: number,
  ) {
    this.leaf = new LeafWriter(screen, budget);
  }

  /** What is shown of the value; undefined where it is not there at all. Never throws. */
  show(value: unknown, followsToJson = true): JsonValue | undefined {
    try {
      const screened = this.screen.value ? this.screen.value(value, [...this.path]) : value;
      if (screened === HIDDEN) return this.leaf.marker(this.screen.placeholder);
      return isObject(screened) ? this.object(screened, followsToJson) : this.leaf.primitive(screened);
    } catch {
      return this.leaf.marker('[unreadable]');
    }
  }

  private object(value: object, followsToJson: boolean): JsonValue | undefined {
    if (this.open.has(value)) return this.leaf.marker('[circular]');
    if (this.open.size >= this.maxDepth) return this.leaf.marker(`[truncated: deeper than ${this.maxDepth} levels]`);
    this.open.add(value);
    try {
      const special = specialValue(value);
      if (special !== undefined) return isObject(special) ? this.structure(special) : this.leaf.primitive(special);
      const toJson = followsToJson ? this.read(value, 'toJSON') : undefined;
      return typeof toJson === 'function' ? this.fromToJson(value, toJson) : this.structure(value);
    } finally {
      this.open.delete(value);
    }
  }

  private fromToJson(value: object, toJson: CallableFunction): JsonValue | undefined {
    const given: unknown = Reflect.apply(toJson, value, [String(this.path.at(-1) ?? '')]);
    return given === value ? this.structure(value) : this.show(given, false);
  }

  private structure(value: object): JsonValue {
    this.budget.take(2);
    if (Array.isArray(value)) return this.list(Number(value.length), (index) => this.read(value, index));
    if (types.isSet(value)) {
      const items = Set.prototype.values.call(value) as Iterator<unknown, undefined>;
      return this.list(value.size, () => items.next().value);
    }
    if (types.isMap(value)) {
      const entries = Map.prototype.entries.call(value) as Iterator<[unknown, unknown], undefined>;
      return this.members(value.size, () => {
        const [key, member] = entries.next().value ?? [];
        return [mapKeyText(key), () => member];
      });
    }
    const keys = Object.keys(value);
    return this.members(keys.length, (index) => {
      const key = keys[index] ?? '';
      return [key, () => this.read(value, key)];
    });
  }

  private list(length: number, itemAt: (index: number) => unknown): JsonValue[] {
    const items: JsonValue[] = [];
    for (let index = 0; index < length; index++) {
      if (this.budget.spent) {
        items.push(this.leaf.marker(`[truncated: ${length - index} of ${length} items]`));
        break;
      }
      this.budget.take(1);
      items.push(this.at(index, () => itemAt(index)) ?? this.leaf.nothing());
    }
    return items;
  }

  private members(count: number, memberAt: (index: number) => readonly [string, () => unknown]): JsonObject {
    const members = new MemberList();
    for (let index = 0; index < count; index++) {
      const [key, read] = memberAt(index);
      const name = this.leaf.name(key);
      if (name === undefined) {
        members.add(CUT_NAME, this.leaf.marker(`[truncated: ${count - index} of ${count} members]`));
        break;
      }
      const shown = this.screen.hides(key) ? this.leaf.marker(this.screen.placeholder) : this.at(key, read);
      if (shown !== undefined) members.add(name, shown);
    }
    return members.done();
  }

  private at(key: string | number, read: () => unknown): JsonValue | undefined {
    this.path.push(key);
    const shown = this.show(read());
    this.path.pop();
    return shown;
  }

  // A getter or proxy that throws costs its own member, not its siblings.
  private read(container: object, key: string | number): unknown {
    try {
      return Reflect.get(container, key);
    } catch {
      return '[unreadable]';
    }
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function mapKeyText(key: unknown): string {
  if (typeof key === 'string') return key;
  // An object as a key is not shown: nothing could be hidden in it by name.
  const shown = key === null || key === undefined || typeof key === 'number' || typeof key === 'boolean';
  return shown ? String(key) : `[${typeof key}]`;
}

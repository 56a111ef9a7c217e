import type { JsonValue } from '../contracts/json.js';
import {
  ArgumentProblem,
  FORBIDDEN_KEYS,
  MAX_ARGUMENT_BYTES,
  MAX_ARGUMENT_DEPTH,
  tooDeep,
  tooLarge,
} from './argument-limits.js';
import { pointer } from './json-pointer.js';
import { isWellFormed } from './visible-text.js';

/**
 * A plain copy of a live value under the rules for arguments; every property is read exactly once.
 *
 * @throws ArgumentProblem for whatever is not plain JSON
 */
export function copyArguments(value: unknown): JsonValue | undefined {
  return new Copying().copy(value);
}

class Copying {
  private readonly path: (string | number)[] = [];
  private readonly open = new Set<object>();
  // Lower bound of the bytes so far: ends the walk of values that could never fit, sparse arrays and shared parts included.
  private bytes = 0;

  copy(value: unknown): JsonValue | undefined {
    if (value === null || value === undefined || typeof value === 'boolean') return this.counted(value, 1);
    if (typeof value === 'string') return this.string(value);
    if (typeof value === 'number') return this.number(value);
    if (typeof value === 'object') return this.container(value);
    const instead = typeof value === 'bigint' ? ' Write a string of digits.' : '';
    throw this.problem(`a value of type ${typeof value}`, instead);
  }

  private string(value: string): string {
    if (!isWellFormed(value)) throw this.problem('a string with a lone surrogate', ' Write whole characters.');
    return this.counted(value, value.length + 2);
  }

  private number(value: number): number {
    if (!Number.isFinite(value)) throw this.problem('a number that is not finite');
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      throw this.problem(
        'an integer beyond 2^53-1 (9007199254740991), which would be rounded',
        ' Write it as a string if the tool takes one.',
      );
    }
    return this.counted(value === 0 ? 0 : value, 1);
  }

  private container(value: object): JsonValue {
    if (this.open.has(value)) throw this.problem('a reference back to what contains it');
    if (this.open.size === MAX_ARGUMENT_DEPTH) throw tooDeep();
    this.counted(value, 2);
    this.open.add(value);
    const copied = Array.isArray(value) ? this.array(value) : this.object(value);
    this.open.delete(value);
    return copied;
  }

  private array(value: readonly unknown[]): JsonValue[] {
    const copied: JsonValue[] = [];
    for (let index = 0; index < value.length; index++) {
      const item = this.member(index, value[index]);
      if (item === undefined) throw this.problem('undefined or nothing in an array', ' Write null.', index);
      copied.push(item);
    }
    return copied;
  }

  private object(value: object): JsonValue {
    if (!isPlain(value))
      throw this.problem(
        'an object that is no plain object (a Date, Map or other class instance)',
        ' Pass plain JSON.',
      );
    const members: [string, JsonValue][] = [];
    for (const key of Object.keys(value)) {
      if (FORBIDDEN_KEYS.has(key)) throw this.problem('a key that is not allowed', '', key);
      if (!isWellFormed(key)) throw this.problem('a key with a lone surrogate', ' Write whole characters.', key);
      this.counted(key, key.length + 3);
      const copied = this.member(key, Reflect.get(value, key));
      if (copied !== undefined) members.push([key, copied]);
    }
    return Object.fromEntries(members);
  }

  private member(key: string | number, value: unknown): JsonValue | undefined {
    this.path.push(key);
    const copied = this.copy(value);
    this.path.pop();
    return copied;
  }

  private counted<T>(value: T, atLeast: number): T {
    this.bytes += atLeast;
    if (this.bytes > MAX_ARGUMENT_BYTES) throw tooLarge();
    return value;
  }

  private problem(what: string, instead = '', ...at: (string | number)[]): ArgumentProblem {
    return new ArgumentProblem(`The arguments have ${what} at ${pointer([...this.path, ...at])}.${instead}`);
  }
}

// By the shape of the prototype chain, not by identity: plain objects of another realm are plain too.
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || (typeof prototype === 'object' && Object.getPrototypeOf(prototype) === null);
}

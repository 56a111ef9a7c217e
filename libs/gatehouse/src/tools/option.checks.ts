import { ConfigurationError } from '../contracts/errors/configuration.error.js';
import type { JsonObject, JsonValue } from '../contracts/json.js';
import { checkArguments } from '../values/argument-text.js';
import { frozenCopy } from '../values/deep-freeze.js';
import { toMilliseconds } from '../values/durations.js';
import { errorMessage } from '../values/error-text.js';

/** Checks the options of one decorator; every refusal names the decorator and `Class#method`. */
export class OptionChecks {
  constructor(
    private readonly decorator: string,
    private readonly label: string,
  ) {}

  refuse(why: string): ConfigurationError {
    return new ConfigurationError(`${this.decorator} on ${this.label}: ${why}`);
  }

  onlyKeys(options: object, known: readonly string[]): void {
    const unknown = Object.keys(options).filter((key) => !known.includes(key));
    if (unknown.length === 0) return;
    throw this.refuse(`unknown option ${unknown.map((key) => `'${key}'`).join(', ')}. It takes ${known.join(', ')}.`);
  }

  text(value: unknown, option: string): void {
    if (value === undefined || (typeof value === 'string' && value.trim() !== '')) return;
    throw this.refuse(`${option} must be text that says something, or be left out.`);
  }

  count(value: unknown, option: string, least: number): void {
    if (value === undefined || (Number.isSafeInteger(value) && Number(value) >= least)) return;
    throw this.refuse(`${option} must be a whole number of ${least} or more.`);
  }

  flag(value: unknown, option: string): void {
    if (value !== undefined && typeof value !== 'boolean') throw this.refuse(`${option} must be true or false.`);
  }

  callback(options: object, option: string): void {
    const value: unknown = Reflect.get(options, option);
    if (value !== undefined && typeof value !== 'function') throw this.refuse(`${option} must be a function.`);
  }

  oneOf(value: unknown, option: string, allowed: readonly string[]): void {
    if (value === undefined || allowed.some((each) => each === value)) return;
    throw this.refuse(`${option} must be ${allowed.map((each) => `'${each}'`).join(' or ')}.`);
  }

  names(value: unknown, option: string): void {
    const named = Array.isArray(value) && value.every((each) => typeof each === 'string' && each !== '');
    if (value !== undefined && !(named && value.length > 0)) throw this.refuse(`${option} must be a list of names.`);
  }

  duration(value: unknown, option: string): void {
    if (value === undefined) return;
    const milliseconds = this.attempt(() => toMilliseconds(value as number | string, option));
    if (milliseconds === 0) throw this.refuse(`${option} must be longer than nothing.`);
  }

  /** A frozen copy: what was checked is what stays. */
  json(value: unknown, option: string): JsonObject | undefined {
    if (value === undefined) return undefined;
    const checked = checkArguments(value);
    if (!checked.ok) throw this.refuse(`${option} must be a plain JSON object.`);
    return frozenCopy<JsonValue>(checked.value) as JsonObject;
  }

  private attempt<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw this.refuse(errorMessage(error));
    }
  }
}

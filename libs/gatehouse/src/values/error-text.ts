import { types } from 'node:util';

import { cut } from './cut.js';

export { cut };

const UNREADABLE = '[unreadable message]';
const NOT_AN_ERROR = 'NonError';
const LONGEST_NAME = 200;
const LONGEST_THROWN_VALUE = 500;

/**
 * The class of what was thrown: a `name` that the error or its class sets itself, else the name of its class.
 * What is no error is called `NonError`. Never throws.
 */
export function errorName(error: unknown): string {
  try {
    if (!isError(error)) return NOT_AN_ERROR;
    const name = ownName(error) ?? error.constructor.name;
    return typeof name === 'string' && name !== '' ? cut(name, LONGEST_NAME) : 'Error';
  } catch {
    return 'Error';
  }
}

/**
 * The message of what was thrown, whole. A thrown string is its own message, another value its JSON, cut at 500
 * characters. A message that cannot be read is `[unreadable message]`. Never throws.
 */
export function errorMessage(error: unknown): string {
  try {
    if (!isError(error)) return thrownValue(error);
    return typeof error.message === 'string' ? error.message : thrownValue(error.message);
  } catch {
    return UNREADABLE;
  }
}

/** `Class: message`, as evidence keeps it; the class alone where there is no message. Never throws. */
export function describeError(error: unknown): string {
  const message = errorMessage(error);
  return message === '' ? errorName(error) : `${errorName(error)}: ${message}`;
}

/** Whether the value is an error, of whatever realm. Never throws. */
export function isError(value: unknown): value is ErrorLike {
  try {
    if (types.isNativeError(value) || value instanceof Error) return true;
    // The errors of fetch and AbortSignal are no native errors, and in another realm inherit from another Error.
    return Object.prototype.toString.call(value) === '[object DOMException]';
  } catch {
    return false;
  }
}

interface ErrorLike {
  readonly name?: unknown;
  readonly message: unknown;
  readonly constructor: { readonly name?: unknown; readonly prototype?: unknown };
}

function ownName(error: ErrorLike): unknown {
  const { prototype } = error.constructor;
  const setByClass = typeof prototype === 'object' && prototype !== null && Object.hasOwn(prototype, 'name');
  return Object.hasOwn(error, 'name') || setByClass ? error.name : undefined;
}

function thrownValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'function') return '[function]';
  if (hasTextMessage(value)) return value.message;
  return cut(isPrimitive(value) ? String(value) : JSON.stringify(value), LONGEST_THROWN_VALUE);
}

function hasTextMessage(value: unknown): value is { readonly message: string } {
  return typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
}

function isPrimitive(value: unknown): value is number | bigint | boolean | symbol | undefined {
  return typeof value !== 'object' && typeof value !== 'function';
}

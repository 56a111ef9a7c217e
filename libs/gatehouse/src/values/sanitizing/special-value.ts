import { types } from 'node:util';

import { errorMessage, errorName, isError } from '../error-text.js';

// Hexadecimal digits are cheap to count, decimal ones are not: a bigint of a million digits would take seconds.
const LONGEST_BIGINT = 10_000;

/** Digits of a bigint, exact; a marker where there are more than about ten thousand. */
export function bigintText(value: bigint): string {
  const digits = value.toString(16).length;
  return digits <= LONGEST_BIGINT ? value.toString() : `[bigint: ${digits} hexadecimal digits]`;
}

/** A number as JSON can hold it; a marker for what JSON turns into null. */
export function numberOrMarker(value: number): number | string {
  if (!Number.isFinite(value)) return `[${value}]`;
  return value === 0 ? 0 : value;
}

/**
 * The plain form of an object that JSON cannot show, or shows too much of: dates, errors (name and message, no stack),
 * binary (its length only), boxed primitives, regular expressions, promises. Undefined = nothing special.
 * Goes by what the object is, not by what its prototype claims, so objects of another realm count too.
 */
export function specialValue(value: object): unknown {
  if (types.isDate(value)) return dateText(value);
  if (isError(value)) return { name: errorName(value), message: errorMessage(value) };
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value)) return binaryText(value);
  if (types.isStringObject(value)) return String.prototype.valueOf.call(value);
  if (types.isNumberObject(value)) return Number.prototype.valueOf.call(value);
  if (types.isBooleanObject(value)) return Boolean.prototype.valueOf.call(value);
  if (types.isBigIntObject(value)) return BigInt.prototype.valueOf.call(value);
  if (types.isRegExp(value)) return RegExp.prototype.toString.call(value);
  if (types.isPromise(value)) return '[promise]';
  return undefined;
}

function dateText(value: Date): string {
  const time = Date.prototype.getTime.call(value);
  return Number.isNaN(time) ? '[invalid date]' : new Date(time).toISOString();
}

function binaryText(value: ArrayBufferView | ArrayBufferLike): string {
  return `[binary: ${value.byteLength} bytes]`;
}

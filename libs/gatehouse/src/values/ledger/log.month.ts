import { instantOf } from './batch.preparation.js';

/** The lowest id of a month, and the lowest after it: ids compare as times do. */
export interface MonthBounds {
  readonly low: string;
  readonly high: string;
}

const MONTH = /^(\d{4})-?(0[1-9]|1[0-2])$/;

/** The month a record is kept in: `202611`. */
export function monthOf(id: string): string {
  return monthAt(instantOf(id));
}

/** The month of an instant, UTC. */
export const monthAt = (at: Date): string => `${at.getUTCFullYear()}${String(at.getUTCMonth() + 1).padStart(2, '0')}`;

/** The first instant of a month (`202611`, `2026-11`); nothing for any other text. */
export function monthStart(text: string): Date | undefined {
  const [, year, month] = MONTH.exec(text) ?? [];
  return year === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month) - 1));
}

/** A month as instants, milliseconds: from, and before. @throws RangeError for what is no month */
export function monthInstants(month: string): { readonly from: number; readonly until: number } {
  const start = monthStart(month);
  if (start === undefined) throw new RangeError(`'${month}' is no month such as 202611.`);
  return { from: start.getTime(), until: Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1) };
}

/** Which ids a month has. @throws RangeError for what is no month */
export function boundsOf(month: string): MonthBounds {
  const { from, until } = monthInstants(month);
  return { low: lowestId(from), high: lowestId(until) };
}

function lowestId(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}

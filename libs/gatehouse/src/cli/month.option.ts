import { InvalidArgumentError } from 'commander';
import { monthInstants, monthStart } from '../values/ledger/log.month.js';

/** An instant, or a month as its start. */
export function fromOption(text: string): Date {
  return monthStart(text) ?? instant(text);
}

/** An instant, or a month as its end: `--to 2026-11` is with November. */
export function toOption(text: string): Date {
  return monthStart(text) === undefined ? instant(text) : new Date(monthInstants(text.replace('-', '')).until);
}

function instant(text: string): Date {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) throw new InvalidArgumentError('Not a month (2026-11) and not an instant.');
  return at;
}

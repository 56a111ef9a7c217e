import { InvalidArgumentError } from 'commander';
import { instantOption } from './instant.option.js';
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
  try {
    return instantOption(text);
  } catch {
    throw new InvalidArgumentError('write a month (2026-11), a day (2026-11-01) or an instant with its zone.');
  }
}

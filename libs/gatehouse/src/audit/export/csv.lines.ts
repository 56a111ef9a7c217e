import { stringify } from 'csv-stringify/sync';
import type { LedgerPayload } from '../../contracts/ledger.js';
import type { LogRecord } from '../../contracts/ports/log.source.js';
import { LEDGER_COLUMNS } from '../../values/ledger/ledger.columns.js';
import { textOf } from '../../values/ledger/payload.text.js';

const RECORD = LEDGER_COLUMNS.filter(({ field }) => field !== 'payloadCommitment');
// Every text there is: a column that is left out is evidence that is left out.
const TEXTS: readonly (keyof LedgerPayload)[] = Object.keys({
  arguments: true,
  result: true,
  error: true,
  reason: true,
  guidance: true,
  note: true,
  detail: true,
  shadowed: true,
  failedOperationIds: true,
  ipAddress: true,
  userAgent: true,
} satisfies Record<keyof LedgerPayload, true>) as (keyof LedgerPayload)[];

/** The names of the columns: the sealed ones of `audit_log`, then the texts. */
export const csvHead = (): string =>
  line([...RECORD.map(({ name }) => name), ...TEXTS, 'erased', 'writer_id', 'seq', 'idx']);

/** A record as a line of CSV (RFC 4180). A text that a spreadsheet would run as a formula starts with an apostrophe. */
export function csvLine(entry: LogRecord): string {
  const { record } = entry;
  return line([
    ...RECORD.map(({ field }) => shown(record[field as keyof typeof record])),
    ...TEXTS.map((part) => textOf(entry, part)),
    String(entry.erased),
    entry.writerId,
    String(entry.seq),
    String(entry.idx),
  ]);
}

function shown(value: string | number | boolean | Date | null | undefined): string | null {
  if (value === null || value === undefined) return null;
  return value instanceof Date ? value.toISOString() : String(value);
}

const line = (cells: readonly (string | null)[]): string =>
  stringify([[...cells]], { escape_formulas: true, quoted_string: true, record_delimiter: '\r\n' });

import type { LogRecord } from '../../contracts/ports/log.source.js';
import { csvHead, csvLine } from './csv.lines.js';
import { ndjsonLine } from './ndjson.lines.js';
import { ocsfLine } from './ocsf.lines.js';

/** `ndjson` has all that proves a record; `csv` is for spreadsheets; `ocsf` for security event stores. */
export type ExportFormat = 'ndjson' | 'csv' | 'ocsf';

/** How a format is written. */
export interface ExportWriting {
  readonly mediaType: string;
  readonly extension: string;
  /** What stands before the first record. */
  readonly head: string;
  line(record: LogRecord): string;
}

export const EXPORT_FORMATS: Readonly<Record<ExportFormat, ExportWriting>> = Object.freeze({
  ndjson: { mediaType: 'application/x-ndjson', extension: 'ndjson', head: '', line: ndjsonLine },
  csv: { mediaType: 'text/csv; charset=utf-8', extension: 'csv', head: csvHead(), line: csvLine },
  ocsf: { mediaType: 'application/x-ndjson', extension: 'ocsf.ndjson', head: '', line: ocsfLine },
});
